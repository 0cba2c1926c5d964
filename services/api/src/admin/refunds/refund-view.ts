import type { Refund } from '@payments/database/refunds';
import { reaisFrom } from '@payments/domain/money';

/** @returns a refund as the admin API shows it; amount in reais */
export function refundView<T extends Refund>(refund: T): T {
  return { ...refund, amount: reaisFrom(refund.amount) };
}
