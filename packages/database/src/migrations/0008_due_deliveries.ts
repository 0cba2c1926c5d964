import { type Kysely, sql } from 'kysely';

/**
 * What is due is found by its time alone. By state as well, a plan may take any index that begins with the state or
 * keeps to it, and one made while nothing was pending reads every pending delivery that is not due yet.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `alter table deliveries add constraint deliveries_due_only_pending
    check (state = 'pending' or next_attempt_at is null)`,
  'drop index deliveries_due',
  'create index deliveries_due on deliveries (next_attempt_at) where next_attempt_at is not null',
  'drop index deliveries_due_by_endpoint',
  `create index deliveries_due_by_endpoint on deliveries (endpoint, next_attempt_at)
    where next_attempt_at is not null`,

  // The next endpoint after this one that has deliveries to attempt: a step of a walk along the index.
  `create or replace function min_endpoint(after_endpoint uuid) returns uuid language sql stable
    return (select endpoint from deliveries where next_attempt_at is not null and endpoint > after_endpoint
      order by endpoint limit 1)`,
];
