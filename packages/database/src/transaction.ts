import type { PaymentEvent } from '@payments/domain/events';
import type { Database, Queryable } from './connection.ts';

/** An event as it was committed, with whose it is and what caused it. */
export type CommittedEvent = {
  event: PaymentEvent;
  storeId: string;
  requestId: string | null;
  /** The W3C `traceparent` of what caused it, where that was traced. */
  traceParent: string | null;
  /** Whether it is delivered: events of a payment without a webhookUrl are not. */
  hasDelivery: boolean;
};

type Listener = (event: CommittedEvent) => void;

const listeners = new WeakMap<object, Listener[]>();
const written = new WeakMap<object, CommittedEvent[]>();

/** Tells of every event that this process commits through `db`, once it is committed. */
export function onEventCommitted(db: Database, listener: Listener): void {
  listeners.set(db, [...(listeners.get(db) ?? []), listener]);
}

/** Runs statements as one transaction: within the caller's, where there is one. */
export async function inTransaction<T>(db: Queryable, work: (trx: Queryable) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db);
  const events: CommittedEvent[] = [];
  const result = await db.transaction().execute((trx) => {
    written.set(trx, events);
    return work(trx);
  });
  for (const event of events) tell(db, event);
  return result;
}

/** Notes an event that was written: told of at once outside of a transaction, else when that has committed. */
export function eventWritten(db: Queryable, event: CommittedEvent): void {
  const events = written.get(db);
  if (events) events.push(event);
  else tell(db, event);
}

function tell(db: Queryable, event: CommittedEvent): void {
  for (const listener of listeners.get(db) ?? []) listener(event);
}
