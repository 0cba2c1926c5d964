import { randomUUID } from 'node:crypto';
import type { CommittedEvent, PaymentEvent } from '@payments/domain/events';
import { newId } from '@payments/domain/identifiers';
import { testNats } from '@payments/testing/nats';
import { eventually } from '@payments/testing/patience';
import { type Logger, pino } from 'pino';
import { connectEvents, type EventsConnection } from '../src/connection.ts';

export type Ending = { teardown(end: () => Promise<void>): void };

/** A logger that keeps its lines for the test. */
export function listeningLog(): { log: Logger; lines: { level: number; msg: string }[] } {
  const lines: { level: number; msg: string }[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  return { log, lines };
}

export const silent = pino({ level: 'silent' });

/** An open connection, with its stream and consumer. */
export async function openEvents(
  t: Ending,
  at?: { url: string; stream: string },
  log: Logger = silent,
): Promise<EventsConnection> {
  const nats = at ?? (await testNats());
  const connection = connectEvents({ url: nats.url, stream: nats.stream, name: 'test', log });
  t.teardown(async () => {
    await connection.close();
    if ('stop' in nats) await (nats as { stop(): Promise<void> }).stop();
  });
  await new Promise<void>((resolve) => connection.onReconnect(resolve));
  await connection.ensureStream();
  return connection;
}

export function publication(fields: Partial<PaymentEvent> = {}): CommittedEvent {
  const storeId = randomUUID();
  const payment = { id: newId(), storeId, status: 'pending' } as PaymentEvent['payment'];
  const event: PaymentEvent = {
    id: newId(),
    type: 'payment.created',
    sequence: 1,
    occurredAt: '2026-01-01T00:00:00.000Z',
    payment,
    ...fields,
  };
  return { event, storeId, traceParent: null, requestId: 'request-1', hasDelivery: true };
}

/** Resolves as soon as `holds` does; rejects when even a slow machine would have been there. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  await eventually('what a test waits for', async () => (await holds()) || undefined);
}

/** @returns the ids of all events in the stream */
export async function idsStored(connection: EventsConnection): Promise<Set<string>> {
  const { streams } = await connection.ready().jetstreamManager();
  const { state } = await streams.info(connection.stream);
  const ids = new Set<string>();
  for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
    ids.add((await streams.getMessage(connection.stream, { seq })).json<{ id: string }>().id);
  }
  return ids;
}
