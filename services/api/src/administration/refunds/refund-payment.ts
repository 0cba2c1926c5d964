import { createHash } from 'node:crypto';
import type { Author } from '@payments/database/operations/changes';
import type { Refund } from '@payments/database/refunds/refunds';
import { isId } from '@payments/domain/identifiers';
import { centavosFrom } from '@payments/domain/money';
import { orderRefund } from '@payments/settlement/order-refund';
import type { FastifyBaseLogger } from 'fastify';
import type { AdministrationContext } from '../../context.ts';
import { wrongField } from '../../http/errors/condition.ts';
import { errors } from '../../http/errors/errors.ts';
import { rules } from '../../http/errors/field-rules.ts';
import { beginRefunds } from './begin-refunds.ts';

export type RefundOfPayment = {
  paymentId: string;
  /** In reais; absent means all that is left. */
  amount?: number | null | undefined;
  /** What was left, in centavos, when a person ordered all of it. */
  shown?: number | undefined;
  idempotencyKey?: string | undefined;
  by: Author;
};

/**
 * Orders a refund of an approved or paid payment and asks the bank at once. The scan retries a failed request.
 * @throws ApiError 400 for an amount with more than two decimals, 404 for an unknown payment
 * @throws RefundRefused, RefundKeyReused
 */
export async function refundPayment(
  context: AdministrationContext,
  { paymentId, amount: reais, shown, idempotencyKey, by }: RefundOfPayment,
  log: FastifyBaseLogger,
): Promise<Refund> {
  const amount = reais === null || reais === undefined ? undefined : readAmount(reais);
  const key = idempotencyKey === undefined ? undefined : keyOf(idempotencyKey, amount, by);
  const refund = isId(paymentId)
    ? await orderRefund(context, { paymentId, amount, shown, by, key })
    : undefined;
  if (!refund) throw errors.paymentNotFound();
  log.info({ paymentId, refundId: refund.id, endToEndId: refund.endToEndId }, 'a refund was ordered');
  beginRefunds(context, { bank: refund.bank, limit: 1, paymentId }, log);
  return refund;
}

function readAmount(reais: number): number {
  const amount = centavosFrom(reais);
  if (amount === undefined) throw wrongField('amount', rules.number);
  return amount;
}

function keyOf(key: string, amount: number | undefined, { reason }: Author) {
  const asked = JSON.stringify({ amount: amount ?? null, reason });
  return { key, requestHash: createHash('sha256').update(asked).digest() };
}
