import { findPayment } from '@payments/database/payments/payments';
import type { Refund } from '@payments/database/refunds/refunds';
import { isId } from '@payments/domain/identifiers';
import { isRefundable } from '@payments/domain/refunds';
import { refusals } from '@payments/settlement/refusals';
import { type OnRefused, orderRetry, withdrawRefund } from '@payments/settlement/refused-refund';
import type { FastifyBaseLogger } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import type { AdministrationContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { beginRefunds } from './begin-refunds.ts';

/** A person's decision on a refused refund. */
type Decision = OnRefused & { actor: Pick<Actor, 'storeId'> };

/**
 * Orders a refused refund anew and asks the bank at once. The scan retries a failed request.
 * @throws ApiError 404 for an unknown refund, or another store's; RefundRefused
 */
export async function retryRefund(
  context: AdministrationContext,
  decision: Decision,
  log: FastifyBaseLogger,
): Promise<Refund> {
  const { paymentId } = decision;
  const refund = await decided(context, decision, orderRetry);
  log.info({ paymentId, refundId: refund.id, replaces: refund.replaces }, 'a refund was ordered anew');
  beginRefunds(context, { bank: refund.bank, limit: 1, paymentId }, log);
  return refund;
}

/**
 * Withdraws a refused refund: its money stays with the store.
 * @throws ApiError 404 for an unknown refund, or another store's; RefundRefused
 */
export async function withdraw(
  context: AdministrationContext,
  decision: Decision,
  log: FastifyBaseLogger,
): Promise<Refund> {
  const { paymentId, refundId } = decision;
  const refund = await decided(context, decision, withdrawRefund);
  log.info({ paymentId, refundId }, 'a refused refund was withdrawn');
  return refund;
}

/** A store's own people decide on refunds of their payments, while these are approved or paid (Contract: roles). */
async function decided(
  context: AdministrationContext,
  { actor: { storeId }, ...decision }: Decision,
  act: typeof orderRetry,
): Promise<Refund> {
  const { paymentId } = decision;
  const payment = isId(paymentId)
    ? await findPayment(context.db, paymentId, storeId ?? undefined)
    : undefined;
  if (!payment) throw errors.refundNotFound();
  const mayDecide = storeId === null || isRefundable(payment.status);
  if (!mayDecide) throw errors.refundRefused(refusals.notRefundable(payment.status));
  const refund = await act(context, decision);
  if (!refund) throw errors.refundNotFound();
  return refund;
}
