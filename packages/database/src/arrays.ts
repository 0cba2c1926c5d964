import { type RawBuilder, sql } from 'kysely';

/** `= any(array)`: one statement text for lists of any length, so that it stays one prepared statement. */
export function anyOf(ids: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${[...ids]}::uuid[])`;
}
