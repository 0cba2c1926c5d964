import { connect } from '@payments/database/connection';
import { findKnownEvents } from '@payments/database/events/known-events';
import { isOfStatus } from '@payments/database/payments/history';
import type { PaymentEvent } from '@payments/domain/events';
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
 * Writes a line for each status that the stream tells and the database does not: what a restore lost and nothing brought
 * back. It changes nothing, and shows no personal data. Its argument is the moment that the database was restored to.
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
    for await (const batch of readBack(events, since)) {
      const known = await findKnownEvents(
        db,
        batch.map(({ id }) => id),
      );
      for (const event of batch)
        if (isOfStatus(event) && !known.has(event.id))
          process.stdout.write(`${JSON.stringify(lineOf(event))}\n`);
    }
  } finally {
    await Promise.all([events.close(), db.destroy()]);
  }
});

function lineOf({ id, type, occurredAt, previousStatus, payment }: PaymentEvent) {
  const { id: paymentId, storeId, status, amount } = payment;
  return { occurredAt, type, storeId, paymentId, previousStatus, status, amount, eventId: id };
}
