import { type Kysely, sql } from 'kysely';

/**
 * A delivery's last attempt is in its own row, and is entered among `attempts` as the next one begins: of most there is
 * one, which then takes no row, no index entry and no check of a reference besides. `all_attempts` shows both; of two
 * that a crash of the server gave one number, the one that held its claim. What the release before records is in
 * `attempts` from the start.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table deliveries
    add column last_number integer,
    add column last_started_at timestamptz,
    add column last_duration_ms integer,
    add column last_status_code integer,
    add column last_stage text,
    add column last_response_excerpt text`,
  `create view all_attempts as
    select delivery_id, number, started_at, duration_ms, status_code, stage, error, response_excerpt from attempts a
    where not exists (select from deliveries where id = a.delivery_id and last_number = a.number)
    union all
    select id, last_number, last_started_at, last_duration_ms, last_status_code, last_stage, last_error,
      last_response_excerpt
    from deliveries where last_number is not null`,
];
