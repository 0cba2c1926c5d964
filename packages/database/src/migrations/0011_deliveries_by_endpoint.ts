import { type Kysely, sql } from 'kysely';

/**
 * An index by endpoint that is found only by statements that ask for it (`isToAttempt`). While statistics say that
 * nothing is due, a plan may take any index of what is due, and by endpoint it reads all of a backlog to find its head.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const statements = [
  `create index deliveries_to_attempt_by_endpoint on deliveries (endpoint, next_attempt_at)
    where (next_attempt_at is null) is false`,

  // For processes of the release before, which walk along the index by it.
  `create or replace function min_endpoint(after_endpoint uuid) returns uuid language sql stable
    return (select endpoint from deliveries where (next_attempt_at is null) is false and endpoint > after_endpoint
      order by endpoint limit 1)`,

  // Last, so that readers are kept out for a moment only.
  'drop index deliveries_due_by_endpoint',
];
