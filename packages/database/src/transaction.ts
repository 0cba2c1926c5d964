import type { CommittedEvent } from '@payments/domain/events';
import type { Transaction } from 'kysely';
import type { Database, Queryable } from './connection.ts';
import type { Schema } from './schema.ts';

/** A transaction that keeps the events which it writes until its commit. */
type Writing = Transaction<Schema> & { written: CommittedEvent[] };

/** Runs statements as one transaction: the caller's, if there is one. */
export async function inTransaction<T>(db: Queryable, work: (trx: Queryable) => Promise<T>): Promise<T> {
  if (db.isTransaction) return work(db);
  const written: CommittedEvent[] = [];
  const result = await db
    .transaction()
    .execute((trx) => work(Object.assign(trx, { written }) satisfies Writing));
  for (const event of written) tell(db, event);
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
  if ('written' in db) (db as Writing).written.push(event);
  else tell(db, event);
}

/** Tells those who listen to the commits of `db`. */
export function tell(db: Queryable, event: CommittedEvent): void {
  if ('listeners' in db) for (const listener of (db as Database).listeners) listener(event);
}
