import type { RefundOfStore } from '@payments/database/refunds/list';
import { csvAmount } from '../../http/csv.ts';
import type { Columns } from '../../http/send-csv.ts';

/** The columns of the refunds' CSV; amounts in reais. */
export const refundCsv: Columns<RefundOfStore> = {
  id: ({ id }) => id,
  endToEndId: ({ endToEndId }) => endToEndId,
  paymentId: ({ paymentId }) => paymentId,
  storeId: ({ storeId }) => storeId,
  bank: ({ bank }) => bank,
  state: ({ state }) => state,
  amount: ({ amount }) => csvAmount(amount),
  owedAmount: ({ owed }) => csvAmount(owed),
  origin: ({ origin }) => origin,
  reason: ({ note, reason }) => note ?? reason,
  observation: ({ observation }) => observation,
  email: ({ email }) => email,
  rtrId: ({ rtrId }) => rtrId,
  lastError: ({ lastError }) => lastError,
  createdAt: ({ createdAt }) => createdAt,
  madeAt: ({ madeAt }) => madeAt,
};
