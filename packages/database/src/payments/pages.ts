import type { SelectQueryBuilder } from 'kysely';

export type Page = { page: number; limit: number };
export type Paged<Item> = { items: Item[]; total: number };

/** @returns one page of ordered rows, and the total of all pages */
export async function readPage<DB, TB extends keyof DB, Row>(
  rows: SelectQueryBuilder<DB, TB, Row>,
  { page, limit }: Page,
): Promise<Paged<Row>> {
  const { total } = await rows
    .clearSelect()
    .clearOrderBy()
    .select(({ fn }) => fn.countAll().as('total'))
    .$castTo<{ total: number }>()
    .executeTakeFirstOrThrow();
  const items = await rows
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  return { items: items as Row[], total };
}
