import { feesOf } from '@payments/domain/fees';
import type { Queryable } from '../connection.ts';
import type { StoredPayment } from './payments.ts';

/**
 * Sets what a payment is worth, with the fees that follow from it; its status stays. Call it with the payment locked.
 * @param amount centavos
 */
export async function setAmount(
  trx: Queryable,
  payment: StoredPayment,
  amount: number,
): Promise<StoredPayment> {
  const { feeAmount, liquidValue } = feesOf(amount, payment.feeTerms);
  await trx
    .updateTable('payments')
    .set({ amount, fee_amount: feeAmount, liquid_value: liquidValue })
    .where('id', '=', payment.id)
    .execute();
  return { ...payment, amount, feeAmount, liquidValue };
}
