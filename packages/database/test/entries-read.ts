import { sql } from 'kysely';
import type { Database } from '../src/connection.ts';

/** @returns how many entries were read so far of each index, and how many rows of each table read whole */
export async function entriesRead(db: Database, tables: readonly string[]): Promise<Map<string, number>> {
  await sql`select pg_stat_force_next_flush()`.execute(db);
  const { rows } = await sql<{ name: string; entries: number }>`
    select indexrelname as name, idx_tup_read::int as entries from pg_stat_user_indexes
    where relname = any(${[...tables]}::text[])
    union all select relname, seq_tup_read::int from pg_stat_user_tables where relname = any(${[...tables]}::text[])`.execute(
    db,
  );
  return new Map(rows.map(({ name, entries }) => [name, entries]));
}
