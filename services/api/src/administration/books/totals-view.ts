import type { Grouping, Totals } from '@payments/database/totals/totals';
import { reaisFrom } from '@payments/domain/money';

const names: Record<Grouping, string> = { day: 'day', store: 'storeId', status: 'status' };

/** @returns totals as the admin API shows them; amounts in reais */
export function totalsView(by: Grouping, { key, createdCount, approvedCount, ...amounts }: Totals) {
  const { approvedAmount, feeAmount, refundedAmount } = amounts;
  return {
    [names[by]]: key,
    createdCount,
    approvedCount,
    approvedAmount: reaisFrom(approvedAmount),
    feeAmount: reaisFrom(feeAmount),
    liquidValue: reaisFrom(approvedAmount - feeAmount),
    refundedAmount: reaisFrom(refundedAmount),
  };
}
