import type { Database, Queryable } from './connection.ts';
import type { OutboxEvent } from './events/outbox.ts';

type Listener = (event: OutboxEvent) => void;

const listeners = new WeakMap<object, Listener[]>();
const written = new WeakMap<object, OutboxEvent[]>();

/** Tells of every event that this process commits through `db`, once it is committed. */
export function onEventCommitted(db: Database, listener: Listener): void {
  listeners.set(db, [...(listeners.get(db) ?? []), listener]);
}

/** Runs statements as one transaction: within the caller's, where there is one. */
export async function inTransaction<T>(db: Queryable, work: (trx: Queryable) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db);
  const events: OutboxEvent[] = [];
  const result = await db.transaction().execute((trx) => {
    written.set(trx, events);
    return work(trx);
  });
  for (const event of events) tell(db, event);
  return result;
}

/** Notes an event that was written: told of at once outside of a transaction, else when that has committed. */
export function eventWritten(db: Queryable, event: OutboxEvent): void {
  const events = written.get(db);
  if (events) events.push(event);
  else tell(db, event);
}

function tell(db: Queryable, event: OutboxEvent): void {
  for (const listener of listeners.get(db) ?? []) listener(event);
}
