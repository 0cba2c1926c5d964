import type { Queryable } from './connection.ts';

/** Runs statements as one transaction: within the caller's, where there is one. */
export function inTransaction<T>(db: Queryable, work: (trx: Queryable) => Promise<T>): Promise<T> {
  return db.isTransaction ? work(db) : db.transaction().execute(work);
}
