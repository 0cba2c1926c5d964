import { CompiledQuery } from 'kysely';
import type { Queryable } from './connection.ts';

/**
 * Runs a statement of plain SQL, whose text can be pasted into psql.
 *
 * The rule of this package: Kysely's builder for one table, its `sql` for the rest, and plain SQL for what every request
 * runs, since the text is then made once. Columns come back in camel case from all three.
 * @param values the values of `$1`, `$2`, …
 */
export async function run<Row>(db: Queryable, text: string, values: readonly unknown[]): Promise<Row[]> {
  const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(text, [...values]));
  return rows;
}
