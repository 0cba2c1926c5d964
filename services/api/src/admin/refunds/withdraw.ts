import type { Refund } from '@payments/database/refunds/refunds';
import { isId } from '@payments/domain/identifiers';
import type { OnRefused } from '@payments/settlement/retry-refund';
import { withdrawRefund } from '@payments/settlement/withdraw-refund';
import type { FastifyBaseLogger } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';

/**
 * Withdraws a refused refund: its money stays with the store.
 * @throws ApiError 404 for an unknown refund; RefundRefused
 */
export async function withdraw(
  context: ApiContext,
  withdrawal: OnRefused,
  log: FastifyBaseLogger,
): Promise<Refund> {
  const { paymentId, refundId } = withdrawal;
  const refund = isId(paymentId) ? await withdrawRefund(context, withdrawal) : undefined;
  if (!refund) throw errors.refundNotFound();
  log.info({ paymentId, refundId }, 'a refused refund was withdrawn');
  return refund;
}
