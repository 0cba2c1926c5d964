import pg from 'pg';

/** The bytes of a table and its indexes, and its number of rows. */
export type Table = { rows: number; bytes: number; indexBytes: number };

/** @returns every table of the service, by name */
export async function tablesOf(url: string): Promise<Record<string, Table>> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string; bytes: string; index_bytes: string }>(
      `select relname as name, pg_table_size(relid) as bytes, pg_indexes_size(relid) as index_bytes
      from pg_stat_user_tables where relname not like 'kysely%' order by relname`,
    );
    const tables: Record<string, Table> = {};
    for (const { name, bytes, index_bytes } of rows) {
      const counted = await client.query<{ rows: number }>(`select count(*)::int as rows from ${name}`);
      tables[name] = { rows: counted.rows[0]!.rows, bytes: Number(bytes), indexBytes: Number(index_bytes) };
    }
    return tables;
  } finally {
    await client.end();
  }
}
