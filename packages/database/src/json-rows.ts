import { type RawBuilder, sql } from 'kysely';
import type { Schema } from './schema.ts';

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

/**
 * Inserts any number of rows as one parameter, so that the statement's text stays the same.
 * @param rows at least one; all have the same columns
 * @param where an SQL filter
 */
export function insertRows<Table extends keyof Schema & string>(
  table: Table,
  rows: readonly Row<Table>[],
  where: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const columns = sql.join(Object.keys(rows[0] as object).map((column) => sql.ref(column)));
  return sql`
    insert into ${sql.table(table)} as known (${columns})
    select ${columns} from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)})
    where ${where}`;
}

/** @returns bytes as PostgreSQL's JSON functions read them */
export const bytea = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;
