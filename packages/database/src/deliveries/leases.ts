import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';

/**
 * Extends a dispatcher's lease to `leaseMs` from now. One lease covers all the deliveries that it has claimed. When the
 * lease ends, any other dispatcher may claim them.
 */
export async function renewLease(db: Queryable, dispatcherId: string, leaseMs: number): Promise<void> {
  await sql`
    insert into dispatchers (id, leased_until) values (${dispatcherId}, now() + ${leaseMs} * interval '1 millisecond')
    on conflict (id) do update set leased_until = excluded.leased_until`.execute(db);
}

/** Ends a dispatcher's lease, and deletes dispatchers that disappeared an hour ago. */
export async function endLease(db: Queryable, dispatcherId: string): Promise<void> {
  await sql`
    delete from dispatchers where id = ${dispatcherId} or leased_until < now() - interval '1 hour'`.execute(
    db,
  );
}

/** @returns SQL: whether a dispatcher's lease runs */
export function isLeased(dispatcher: string): string {
  return `exists (select from dispatchers where id = ${dispatcher} and leased_until > now())`;
}

/** @returns SQL: whether a delivery's time has come and no dispatcher holds it */
export function isDue(row: string): string {
  const dispatcher = `${row}.claimed_by`;
  return `(${row}.next_attempt_at <= now() and (${dispatcher} is null or not ${isLeased(dispatcher)}))`;
}
