import type { Client } from 'pg';

const worthFrom = 200_000;

/**
 * Fills tables without their indexes (but for primary keys and constraints) and makes these afterwards: many times
 * as fast. The indexes are as good as new then, denser than years of use leave them.
 */
export async function withoutIndexes(
  client: Client,
  tables: readonly string[],
  count: number,
  fill: () => Promise<void>,
): Promise<void> {
  if (count < worthFrom) return fill();
  const { rows } = await client.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition from pg_index i
      where i.indrelid = any($1::regclass[]) and not exists (
        select from pg_constraint c where c.conindid = i.indexrelid)`,
    [tables],
  );
  for (const { name } of rows) await client.query(`drop index ${name}`);
  await fill();
  await client.query("set maintenance_work_mem = '512MB'");
  for (const { definition } of rows) await client.query(definition);
}
