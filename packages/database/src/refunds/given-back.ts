import type { Queryable } from '../connection.ts';
import { countGivenBack } from '../totals/changes.ts';
import type { Refund } from './refunds.ts';

/** Stores what a return took from its approved payment. Lock the payment first. */
export async function setGivenBack(
  trx: Queryable,
  { endToEndId, id }: Pick<Refund, 'endToEndId' | 'id'>,
  givenBack: number,
): Promise<void> {
  await trx
    .with('refund', (db) =>
      db
        .updateTable('refunds')
        .set({ given_back: givenBack })
        .where('end_to_end_id', '=', endToEndId)
        .where('id', '=', id)
        .returning(['payment_id', 'bank', 'made_at', 'given_back']),
    )
    .with('totals', countGivenBack)
    .selectFrom('refund')
    .select('given_back')
    .execute();
}
