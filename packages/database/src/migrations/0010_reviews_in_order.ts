import { type Kysely, sql } from 'kysely';

/** Reviews that began at the same moment have an order too: those that are overdue are gone through a part at a time. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop index payments_in_review`.execute(db);
  await sql`create index payments_in_review on payments (review_since, id) where status = 'review'`.execute(
    db,
  );
}
