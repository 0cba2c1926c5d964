import { CompiledQuery } from 'kysely';
import type { Queryable } from './connection.ts';
import type { Schema } from './schema.ts';

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

/** A column's value as JSON carries it: bytes as {@link bytea}. */
type Value = string | number | boolean | Date | object | null;
/** Columns of a table in their own names: renaming them would cost each creation time. */
export type Row<Table extends keyof Schema> = {
  [Column in keyof Schema[Table] & string as SnakeCase<Column>]?: Value;
};
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : '';

/** @returns a column's own name */
export const snakeCase = (name: string): string =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** @returns bytes as PostgreSQL's JSON functions read them */
export const bytea = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;
