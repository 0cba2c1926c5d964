import { type Kysely, sql } from 'kysely';

/**
 * Until when a delivery is somebody's to attempt, in a column that no index holds. It was the row's next_attempt_at that
 * said so, and a claim then wrote an entry to each index. A claimed row is larger by its claim and its lease: hence a
 * little more room in each page.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table deliveries add column leased_until timestamptz`.execute(db);
  await sql`alter table deliveries set (fillfactor = 45)`.execute(db);
}
