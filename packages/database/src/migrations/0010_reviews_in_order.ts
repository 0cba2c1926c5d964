import { type Kysely, sql } from 'kysely';

/**
 * Reviews that began at the same moment have an order too: those that are overdue are gone through a part at a time.
 * The index goes by `review_since` alone, which only payments in review have: where the status is named too,
 * statistics from before a bulk change lead to the index by status, and all reviews are read at each look.
 *
 * The index by `review_since` where the status is review stays for processes of the release before: dropping it here
 * would keep everybody from the table for as long as this one is built.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create index payments_in_review_order on payments (review_since, id) where review_since is not null`.execute(
    db,
  );
}
