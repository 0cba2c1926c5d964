import { type RawBuilder, sql } from 'kysely';

/** The keys of a row of the totals. Its figures are counts, and amounts in centavos. */
export const keys = sql`day, store_id, status, bank`;
const figures = [
  'created',
  'created_amount',
  'approved',
  'approved_amount',
  'fee_amount',
  'received',
  'refunded_amount',
  'given_back',
].map((name) => sql.ref(name));

/** @returns the same SQL of each figure, in their order */
export function eachFigure(
  write: (figure: RawBuilder<unknown>) => RawBuilder<unknown>,
  separator = sql`, `,
): RawBuilder<unknown> {
  return sql.join(figures.map(write), separator);
}

/** The columns of the totals, in the order of `figuresOfRows`. */
export const columns = sql`${keys}, ${eachFigure((figure) => figure)}`;
