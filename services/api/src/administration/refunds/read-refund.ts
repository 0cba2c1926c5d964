import { centavosFrom } from '@payments/domain/money';
import { counted, isRefundable, isRefundWindowOver, refundableAmount } from '@payments/domain/refunds';
import { refusals } from '@payments/settlement/refusals';
import type { FastifyRequest } from 'fastify';
import { wrongField } from '../../http/errors/condition.ts';
import { rules } from '../../http/errors/field-rules.ts';
import { formatBrl } from '../../pages/money.ts';
import { numberFrom, textOf } from '../kit/form-values.ts';
import { attempt, type FieldError, judgeBy } from '../kit/judge.ts';
import type { Picture } from '../payments/picture-page.ts';
import { reasonFrom } from '../payments/reason.ts';
import { RefundBody } from './schemas.ts';

/** A refund as typed: the amount in reais, null for all that is left. */
export type WantedRefund = { amount: number | null; reason: string | null };

const judge = judgeBy(RefundBody);

/** Reads the form of a refund. @returns the requested refund, or the wrong field */
export async function readRefund(
  request: Pick<FastifyRequest, 'body'>,
): Promise<{ result: WantedRefund; wrong?: never } | { wrong: FieldError; result?: never }> {
  return attempt(() => {
    const amount = numberFrom(textOf(request.body, 'amount'));
    const { reason = null } = judge({ amount, reason: reasonFrom(request) });
    if (amount !== null && centavosFrom(amount) === undefined) throw wrongField('amount', rules.twoDecimals);
    return { amount, reason };
  });
}

/**
 * Compares the requested amount with what is left now.
 * @returns the amount in centavos, or the reason of the refusal
 */
export function fitRefund(
  picture: Picture,
  { amount: reais }: WantedRefund,
  now: Date,
): { amount: number; refusal?: never } | { refusal: string; amount?: never } {
  const left = refundableAmount(picture);
  const amount = reais === null ? left : (centavosFrom(reais) ?? 0);
  if (!isRefundable(picture.payment.status))
    return { refusal: 'Só um pagamento aprovado ou consolidado pode ser devolvido.' };
  if (counted(picture.pix).some((pix) => isRefundWindowOver(pix, now)))
    return { refusal: refusals.windowOver };
  if (left === 0) return { refusal: 'Nada resta a devolver deste pagamento.' };
  if (amount > left) return { refusal: `O valor é maior do que o que resta a devolver: ${formatBrl(left)}.` };
  return { amount };
}
