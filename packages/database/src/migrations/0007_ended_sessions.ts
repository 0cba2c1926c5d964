import { type Kysely, sql } from 'kysely';

/** Sessions of the panel that were ended before their time: their cookies are still out there until `ends_at`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table ended_sessions (id uuid primary key, ends_at timestamptz not null)`.execute(db);
}
