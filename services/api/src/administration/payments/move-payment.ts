import type { StoredPayment } from '@payments/database/payments/payments';
import { isId } from '@payments/domain/identifiers';
import { type Decision, decide } from '@payments/settlement/decide';
import type { FastifyBaseLogger } from 'fastify';
import type { AdministrationContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { beginRefunds } from '../refunds/actions.ts';

const refundsAtOnce = 10;

/**
 * Changes a payment's status as an administrator decided. Its event and its refunds start at once.
 * @throws ApiError 404 without such a payment; TransitionRefused
 */
export async function movePayment(
  context: AdministrationContext,
  decision: Decision,
  log: FastifyBaseLogger,
): Promise<StoredPayment> {
  const { paymentId } = decision;
  const payment = isId(paymentId) ? await decide(context, decision) : undefined;
  if (!payment) throw errors.paymentNotFound();
  const { bank } = payment;
  if (bank !== null) beginRefunds(context, { bank, limit: refundsAtOnce, paymentId }, log);
  return payment;
}
