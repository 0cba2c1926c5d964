import type { Refund } from '@payments/database/refunds/refunds';
import { reaisFrom } from '@payments/domain/money';

/** @returns a refund as the admin API shows it; amounts in reais */
export function refundView(refund: Refund) {
  return {
    id: refund.id,
    endToEndId: refund.endToEndId,
    bank: refund.bank,
    paymentId: refund.paymentId,
    amount: reaisFrom(refund.amount),
    origin: refund.origin,
    reason: refund.note ?? refund.reason,
    state: refund.state,
    rtrId: refund.rtrId,
    tries: refund.tries,
    lastError: refund.lastError,
    replaces: refund.replaces,
    orderAgainAt: refund.orderAgainAt,
    isOwed: refund.owed !== null,
    owedAmount: refund.owed === null ? null : reaisFrom(refund.owed),
    createdAt: refund.createdAt,
    updatedAt: refund.updatedAt,
  };
}
