import type { TimeRange } from '@payments/domain/days';
import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';

/** @returns the same values for `eb.and`, which leaves out those that are undefined, though its types refuse them */
export const given = <Values extends object>(values: Values) =>
  values as { [Name in keyof Values]: Exclude<Values[Name], undefined> };

/** @returns SQL: whether the column's time is in the range */
export function isWithin(column: string, { since, until }: TimeRange): RawBuilder<boolean> {
  const first = since ? sql`${sql.ref(column)} >= ${since}` : sql`true`;
  const last = until ? sql`${sql.ref(column)} < ${until}` : sql`true`;
  return sql<boolean>`${first} and ${last}`;
}

/** `= any(array)` keeps one statement text for lists of any length, so it stays one prepared statement. */
export function anyOf(values: readonly string[]): RawBuilder<string> {
  return sql<string>`any(${[...values]})`;
}

export type Page = { page: number; limit: number };
export type Paged<Item> = { items: Item[]; total: number };

/**
 * @param total counted before the page was read
 * @returns the page with its total, which what came or went meanwhile corrects
 */
export function paged<Item>(items: Item[], total: number, { page, limit }: Page): Paged<Item> {
  const atLeast = (page - 1) * limit + items.length;
  return { items, total: items.length < limit ? atLeast : Math.max(total, atLeast) };
}

/** @returns one page of ordered rows, and the total of all pages */
export async function readPage<DB, TB extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, TB, Row>,
  page: Page,
): Promise<Paged<Row>> {
  const { total } = await rows
    .clearSelect()
    .clearOrderBy()
    .select(({ fn }) => fn.countAll().as('total'))
    .$castTo<{ total: number }>()
    .executeTakeFirstOrThrow();
  const offset = (page.page - 1) * page.limit;
  // PostgreSQL would walk over all rows to find that none is left.
  if (offset >= total) return { items: [], total };
  const items = await rows.limit(page.limit).offset(offset).execute();
  return paged(items as Row[], total, page);
}

const everyPage = 500;

/**
 * Reads all rows of a table in the order of their ids, in bounded memory.
 * @param read reads at most `limit` rows after an id, in that order
 */
export async function* everyRow<Row extends { id: string }>(
  read: (after: string, limit: number) => Promise<Row[]>,
): AsyncGenerator<Row> {
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const rows = await read(after, everyPage);
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < everyPage) return;
    after = last.id;
  }
}

/** @returns a list in parts of at most `size` */
export function* pagesOf<One>(list: readonly One[], size: number): Generator<One[]> {
  for (let begin = 0; begin < list.length; begin += size) yield list.slice(begin, begin + size);
}
