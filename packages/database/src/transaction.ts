import type { Database, Queryable } from './connection.ts';

/** An event that was committed. */
export type CommittedEvent = { type: string; status: string };

const listeners = new WeakMap<object, (event: CommittedEvent) => void>();
const written = new WeakMap<object, CommittedEvent[]>();

/** Tells of every event that this process commits through `db`, once it is committed. */
export function onEventCommitted(db: Database, listener: (event: CommittedEvent) => void): void {
  listeners.set(db, listener);
}

/** Runs statements as one transaction: within the caller's, where there is one. */
export async function inTransaction<T>(db: Queryable, work: (trx: Queryable) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db);
  const events: CommittedEvent[] = [];
  const result = await db.transaction().execute((trx) => {
    written.set(trx, events);
    return work(trx);
  });
  for (const event of events) listeners.get(db)?.(event);
  return result;
}

/** Notes an event that was written: told of at once outside of a transaction, else when that has committed. */
export function eventWritten(db: Queryable, event: CommittedEvent): void {
  const events = written.get(db);
  if (events) events.push(event);
  else listeners.get(db)?.(event);
}
