import type { Author } from '@payments/database/record/changes';
import type { Refund } from '@payments/database/refunds/refunds';
import { orderRefundOfUnmatched } from '@payments/settlement/pix/unmatched';
import type { FastifyBaseLogger } from 'fastify';
import type { AdministrationContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { beginRefunds } from '../refunds/actions.ts';

/**
 * Orders the refund of an unmatched Pix and asks the bank at once. The scan retries a failed request.
 * @throws ApiError 404 for an unknown Pix; RefundRefused
 */
export async function refundUnmatched(
  context: AdministrationContext,
  order: { endToEndId: string; by: Author },
  log: FastifyBaseLogger,
): Promise<Refund> {
  const refund = await orderRefundOfUnmatched(context, order);
  if (!refund) throw errors.unmatchedPixNotFound();
  const { endToEndId } = order;
  log.info({ refundId: refund.id, endToEndId }, 'a refund of a Pix without a payment was ordered');
  beginRefunds(context, { bank: refund.bank, limit: 1, endToEndId }, log);
  return refund;
}
