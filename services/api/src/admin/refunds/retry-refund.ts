import type { Refund } from '@payments/database/refunds/refunds';
import { isId } from '@payments/domain/identifiers';
import { type OnRefused, orderRetry } from '@payments/settlement/retry-refund';
import type { FastifyBaseLogger } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { beginRefunds } from './begin-refunds.ts';

/**
 * Orders a refused refund anew and asks the bank at once. The scan retries a failed request.
 * @throws ApiError 404 for an unknown refund; RefundRefused
 */
export async function retryRefund(
  context: ApiContext,
  order: OnRefused,
  log: FastifyBaseLogger,
): Promise<Refund> {
  const { paymentId } = order;
  const refund = isId(paymentId) ? await orderRetry(context, order) : undefined;
  if (!refund) throw errors.refundNotFound();
  log.info({ paymentId, refundId: refund.id, replaces: refund.replaces }, 'a refund was ordered anew');
  beginRefunds(context, { bank: refund.bank, limit: 1, paymentId }, log);
  return refund;
}
