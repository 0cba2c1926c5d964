import type { Refund } from '@payments/database/refunds/refunds';
import { isId } from '@payments/domain/identifiers';
import { carryOutRefunds } from '@payments/settlement/refund';
import { orderRetry, type RefundRetry } from '@payments/settlement/retry-refund';
import type { FastifyBaseLogger } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';

/**
 * Orders a refused refund anew and asks the bank at once. The scan retries a failed request.
 * @throws ApiError 404 for an unknown refund; RefundRefused
 */
export async function retryRefund(
  context: ApiContext,
  order: RefundRetry,
  log: FastifyBaseLogger,
): Promise<Refund> {
  const { paymentId } = order;
  const refund = isId(paymentId) ? await orderRetry(context, order) : undefined;
  if (!refund) throw errors.refundNotFound();
  log.info({ paymentId, refundId: refund.id, replaces: refund.replaces }, 'a refund was ordered anew');
  carryOutRefunds(context, { limit: 1, paymentId }).catch((error: unknown) =>
    log.warn({ err: error }, 'the refund is left to the scan'),
  );
  return refund;
}
