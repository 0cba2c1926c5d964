import type { CommittedEvent } from '@payments/domain/events';
import type { Database, Queryable } from './connection.ts';

type Listener = (event: CommittedEvent) => void;

const listeners = new WeakMap<object, Listener[]>();
const written = new WeakMap<object, CommittedEvent[]>();

/** Registers a listener for every event that this process commits through `db`. */
export function onEventCommitted(db: Database, listener: Listener): void {
  listeners.set(db, [...(listeners.get(db) ?? []), listener]);
}

/** Tells the listeners of `to` what is committed through `from`, too. */
export function forwardEvents(from: Database, to: Database): void {
  onEventCommitted(from, (event) => tell(to, event));
}

/** Runs statements as one transaction: the caller's, if there is one. */
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

/** Runs statements that only read, so that all see the database as it is at the first one. */
export function inSnapshot<T>(db: Database, read: (trx: Queryable) => Promise<T>): Promise<T> {
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((trx) => read(trx));
}

/** Announces a written event: at once outside of a transaction, else after the commit. */
export function eventWritten(db: Queryable, event: CommittedEvent): void {
  const events = written.get(db);
  if (events) events.push(event);
  else tell(db, event);
}

function tell(db: Queryable, event: CommittedEvent): void {
  for (const listener of listeners.get(db) ?? []) listener(event);
}
