import type { Json } from '@payments/testing/http';
import pg from 'pg';

/** Runs a statement on the test's database and returns its rows. */
export type Sql = (text: string, values?: unknown[]) => Promise<Json[]>;

/** Every logged attempt, one row each, for the `from` of a statement. */
export const attemptsOnRecord = `(select d.id as delivery_id, d.url, a.number, a.error ->> 'stage' as stage, a."statusCode" as status_code,
    a."startedAt" as started_at, a."durationMs" as duration_ms
  from deliveries d, jsonb_to_recordset(d.attempt_log) as a (number int, error jsonb, "statusCode" int,
    "startedAt" timestamptz, "durationMs" int))`;

/** Opens the test's database, to read it and to change times. */
export function openSql(t: { teardown(end: () => Promise<void>): void }, url: string): Sql {
  const pool = new pg.Pool({ connectionString: url, max: 3 });
  pool.on('error', () => {});
  t.teardown(() => pool.end());
  return async (text, values) => (await pool.query(text, values)).rows;
}
