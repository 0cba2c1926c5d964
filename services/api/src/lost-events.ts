import { connect, type Database } from '@payments/database/connection';
import { findKnownEvents } from '@payments/database/events/feed';
import { isOfStatus } from '@payments/database/payments/history';
import { listRefundsOfPix } from '@payments/database/refunds/refunds';
import type { PaymentEvent } from '@payments/domain/events';
import type { RefundView } from '@payments/domain/refunds';
import { connectEvents } from '@payments/jetstream/connection';
import { readBack } from '@payments/jetstream/read-back';
import { ConfigurationError, readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { main } from '@payments/runtime/main';
import { databaseSettings, natsSettings, processSettings } from '@payments/runtime/settings';
import { Type } from '@sinclair/typebox';

const { NATS_STREAM, LOG_LEVEL } = processSettings;
const settingsOfThis = Type.Object({ ...databaseSettings, ...natsSettings, NATS_STREAM, LOG_LEVEL });
const connectMs = 30_000;

/**
 * Writes a line for each status that the stream tells and the database does not, and for each refund that the database
 * lacks: what a restore lost and nothing brought back. A `payment.updated` has no line: its amount follows from refunds,
 * and its code from a charge at the bank. The program changes nothing, and shows no personal data. Its argument is the
 * moment that the database was restored to.
 */
main('lost-events', async () => {
  const settings = readEnvironment(settingsOfThis, process.env);
  const since = new Date(process.argv[2] ?? '');
  if (Number.isNaN(since.getTime()))
    throw new ConfigurationError('say since when, as in: lost-events 2026-11-23T14:05:00Z');
  const log = createLogger('lost-events', settings.LOG_LEVEL === 'info' ? 'warn' : settings.LOG_LEVEL);
  const db = connect(settings.DATABASE_URL, { poolSize: 2, applicationName: 'payments-lost-events' });
  const { NATS_URL: url, NATS_CA_FILE: caFile, NATS_STREAM: stream } = settings;
  const events = connectEvents({ url, caFile, stream, name: 'lost-events', log });
  try {
    await new Promise<void>((resolve, reject) => {
      events.onReconnect(resolve);
      setTimeout(() => reject(new Error('NATS does not answer')), connectMs).unref();
    });
    // A refund has one line, with what was told of it last.
    const refunds = new Map<string, object>();
    for await (const batch of readBack(events, since)) {
      for (const event of await lostStatuses(db, batch)) write(lineOf(event));
      for (const event of await lostRefunds(db, batch)) refunds.set(keyOf(event.refund), lineOf(event));
    }
    for (const line of refunds.values()) write(line);
  } finally {
    await Promise.all([events.close(), db.destroy()]);
  }
});

const write = (line: object) => process.stdout.write(`${JSON.stringify(line)}\n`);

async function lostStatuses(db: Database, batch: PaymentEvent[]): Promise<PaymentEvent[]> {
  const told = batch.filter(isOfStatus);
  const known = await findKnownEvents(
    db,
    told.map(({ id }) => id),
  );
  return told.filter(({ id }) => !known.has(id));
}

type RefundEvent = PaymentEvent & { refund: RefundView };

/** A refund that the database has is not lost, whatever was told of it: the services ask the bank for the rest. */
async function lostRefunds(db: Database, batch: PaymentEvent[]): Promise<RefundEvent[]> {
  const told = batch.filter((event): event is RefundEvent => event.refund !== undefined);
  const refunds = await listRefundsOfPix(
    db,
    told.map(({ refund }) => refund.endToEndId),
  );
  const known = new Set(refunds.map(keyOf));
  return told.filter(({ refund }) => !known.has(keyOf(refund)));
}

const keyOf = ({ endToEndId, id }: Pick<RefundView, 'endToEndId' | 'id'>) => `${endToEndId}/${id}`;

function lineOf({ id, type, occurredAt, previousStatus, payment, refund }: PaymentEvent) {
  const { id: paymentId, storeId } = payment;
  const { status, amount } = refund ?? payment;
  const about = { occurredAt, type, storeId, paymentId, ...(refund && { refundId: refund.id }) };
  return { ...about, previousStatus, status, amount, eventId: id };
}
