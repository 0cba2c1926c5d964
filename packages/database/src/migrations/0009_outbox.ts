import { type Kysely, sql } from 'kysely';

/**
 * Events that wait to be published have a table of their own, so that an event's row is written once: a relay locks
 * and deletes a small row, and never makes the ledger wait for an event that it is publishing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table outbox (event_id uuid primary key)`.execute(db);
  await sql`insert into outbox select id from events where published_at is null`.execute(db);
  await sql`alter table events drop column published_at`.execute(db);
}
