import { type Kysely, sql } from 'kysely';

/**
 * Room in each page for a second version of its rows: a delivery that is taken under the lease that it has stays in its
 * page and in its places in the indexes. Full pages would move it, and write six entries for it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table deliveries set (fillfactor = 50)`.execute(db);
}
