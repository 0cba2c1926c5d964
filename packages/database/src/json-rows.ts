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

/** @returns bytes as PostgreSQL's JSON functions read them */
export const bytea = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;
