import { type RawBuilder, sql } from 'kysely';

/** `= any(array)` keeps one statement text for lists of any length, so it stays one prepared statement. */
export function anyOf(ids: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${[...ids]}::uuid[])`;
}
