import { type Kysely, sql } from 'kysely';

/** When a token was last used: not indexed, so that noting it rewrites no index. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table tokens add column last_used_at timestamptz`.execute(db);
}
