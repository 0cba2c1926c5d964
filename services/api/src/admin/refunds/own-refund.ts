import type { Queryable } from '@payments/database/connection';
import { findPayment } from '@payments/database/payments/payments';
import { isId } from '@payments/domain/identifiers';
import { refusals } from '@payments/settlement/refusals';
import type { Actor } from '../../authentication/actor.ts';
import { errors } from '../../errors/errors.ts';

/**
 * A store's own people act on refunds of their store's payments, while these are approved or paid (Contract: roles).
 * @throws ApiError 404 for an unknown payment or another store's; 409 in other statuses
 */
export async function assertOwnRefund(
  db: Queryable,
  { storeId }: Pick<Actor, 'storeId'>,
  paymentId: string,
): Promise<void> {
  if (storeId === null) return;
  const payment = isId(paymentId) ? await findPayment(db, paymentId, storeId) : undefined;
  if (!payment) throw errors.refundNotFound();
  const { status } = payment;
  if (status !== 'approved' && status !== 'paid') throw errors.refundRefused(refusals.notRefundable(status));
}
