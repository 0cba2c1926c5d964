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
        .set({ givenBack })
        .where(({ and }) => and({ endToEndId, id }))
        .returning(['paymentId', 'bank', 'madeAt', 'givenBack']),
    )
    .with('totals', countGivenBack)
    .selectFrom('refund')
    .select('givenBack')
    .execute();
}
