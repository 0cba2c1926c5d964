import { type RawBuilder, sql } from 'kysely';
import type { Queryable } from '../connection.ts';

/**
 * Makes a dispatcher's lease last `leaseMs` from now. One lease covers every delivery that the dispatcher has claimed:
 * when it ends, any other dispatcher may claim them.
 */
export async function renewLease(db: Queryable, dispatcherId: string, leaseMs: number): Promise<void> {
  await sql`
    insert into dispatchers (id, leased_until) values (${dispatcherId}, now() + ${leaseMs} * interval '1 millisecond')
    on conflict (id) do update set leased_until = excluded.leased_until`.execute(db);
}

/** Ends a dispatcher's lease, and forgets the dispatchers that disappeared an hour ago. */
export async function endLease(db: Queryable, dispatcherId: string): Promise<void> {
  await sql`
    delete from dispatchers where id = ${dispatcherId} or leased_until < now() - interval '1 hour'`.execute(
    db,
  );
}

/** Whether a dispatcher's lease runs, as SQL. */
export function isLeased(dispatcher: RawBuilder<unknown>): RawBuilder<boolean> {
  return sql<boolean>`exists (select from dispatchers where id = ${dispatcher} and leased_until > now())`;
}

/** Whether a delivery's time has come and no dispatcher holds it, as SQL. */
export function isDue(row: string): RawBuilder<boolean> {
  const dispatcher = sql.ref(`${row}.claimed_by`);
  return sql<boolean>`(${sql.ref(`${row}.next_attempt_at`)} <= now()
    and (${dispatcher} is null or not ${isLeased(dispatcher)}))`;
}
