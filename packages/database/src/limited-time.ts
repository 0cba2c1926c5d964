import { sql } from 'kysely';
import type { Database, Queryable } from './connection.ts';
import { DatabaseUnavailable } from './errors.ts';

/** PostgreSQL ended a statement that took longer than its reader allows. The database is well. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong';
}

/**
 * Reads in one transaction, each of whose statements may take only so long. A read of all payments would otherwise keep
 * its connection for as long as any statement may take.
 * @throws TookTooLong
 */
export async function inLimitedTime<T>(
  db: Database,
  timeoutMs: number,
  read: (trx: Queryable) => Promise<T>,
): Promise<T> {
  try {
    return await db
      .transaction()
      .setAccessMode('read only')
      .execute(async (trx) => {
        await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`.execute(trx);
        return read(trx);
      });
  } catch (error) {
    throw isEndedStatement(error) ? new TookTooLong(`longer than ${timeoutMs} ms`, { cause: error }) : error;
  }
}

function isEndedStatement(error: unknown): boolean {
  if (!(error instanceof DatabaseUnavailable)) return false;
  return (error.cause as { code?: unknown } | undefined)?.code === '57014';
}
