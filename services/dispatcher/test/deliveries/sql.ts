import pg from 'pg';

/** Runs one statement on the test's database and gives its rows. */
// biome-ignore lint/suspicious/noExplicitAny: tests read whatever was selected
export type Sql = (text: string, values?: unknown[]) => Promise<any[]>;

/** Every attempt that is on record, a row each: for the `from` of a statement. */
export const attemptsOnRecord = `(select d.id as delivery_id, d.url, a.number, a.stage, a."statusCode" as status_code,
    a."startedAt" as started_at, a."durationMs" as duration_ms
  from deliveries d, jsonb_to_recordset(d.attempt_log) as a (number int, stage text, "statusCode" int,
    "startedAt" timestamptz, "durationMs" int))`;

/** Opens the database that a test looks into, and changes what only time would change. */
export function openSql(t: { teardown(end: () => Promise<void>): void }, url: string): Sql {
  const pool = new pg.Pool({ connectionString: url, max: 3 });
  pool.on('error', () => {});
  t.teardown(() => pool.end());
  return async (text, values) => (await pool.query(text, values)).rows;
}
