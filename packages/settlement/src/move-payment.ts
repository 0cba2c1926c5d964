import type { Queryable } from '@payments/database/connection';
import type { StoredPayment } from '@payments/database/payments/payments';
import { changeStatus, type StatusChange } from '@payments/database/payments/status-changes';
import { paymentView } from '@payments/domain/payment';
import type { SettlementContext } from './context.ts';

/**
 * Moves a payment now, with its event.
 * @throws StatusChanged if the payment moved meanwhile
 */
export function movePayment(
  trx: Queryable,
  { now, publicUrl }: SettlementContext,
  change: Omit<StatusChange, 'now' | 'view'>,
): Promise<StoredPayment> {
  return changeStatus(trx, { ...change, now: now(), view: (payment) => paymentView(payment, publicUrl) });
}
