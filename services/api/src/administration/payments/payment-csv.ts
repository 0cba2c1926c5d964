import type { StoredPayment } from '@payments/database/payments/payments';
import { txidOf } from '@payments/domain/identifiers';
import { csvAmount } from '../../http/csv.ts';
import type { Columns } from '../../http/send-csv.ts';

/** The columns of the payments' CSV; amounts in reais. */
export const paymentCsv: Columns<StoredPayment> = {
  id: ({ id }) => id,
  status: ({ status }) => status,
  amount: ({ amount }) => csvAmount(amount),
  feeAmount: ({ feeAmount }) => csvAmount(feeAmount),
  liquidValue: ({ liquidValue }) => csvAmount(liquidValue),
  observation: ({ observation }) => observation,
  email: ({ email }) => email,
  storeId: ({ storeId }) => storeId,
  bank: ({ bank }) => bank,
  txid: ({ id }) => txidOf(id),
  charged: ({ charged }) => csvAmount(charged),
  createdAt: ({ createdAt }) => createdAt,
  approvedAt: ({ approvedAt }) => approvedAt,
  reference: ({ reference }) => reference,
};
