import { newId } from '@payments/domain/identifiers';
import { centavosFrom } from '@payments/domain/money';
import { orderableAmount } from '@payments/domain/refund-plan';
import { counted, isRefundable, isRefundWindowOver, refundableAmount } from '@payments/domain/refunds';
import { RefundKeyReused, RefundRefused } from '@payments/settlement/refunds/order-refund';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorOf, ownPayment } from '../../access/actor.ts';
import type { AdministrationContext, AdministrationPlugin } from '../../context.ts';
import { refusals, rules, wrongField } from '../../http/errors/api-error.ts';
import { formatBrl, html, money, type SafeHtml } from '../../pages/html.ts';
import { hashOfKey } from '../../public/payments/new-payment.ts';
import { refundPayment } from '../../public/refunds/actions.ts';
import {
  attempt,
  type FieldError,
  judgeBy,
  numberFrom,
  numberText,
  reasonFrom,
  textOf,
} from '../kit/form-values.ts';
import { postForm } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { alert, refusalWords, testBadge } from '../kit/parts.ts';
import { type PaymentInFull, paymentInFull } from '../payments/actions.ts';
import { factsOf } from '../payments/parts.ts';
import { showPayment } from '../payments/payment-page.ts';
import { paymentParams } from '../shapes.ts';
import { RefundBody } from './schemas.ts';

type Params = { Params: { id: string } };
type Asked = { request: FastifyRequest<Params>; reply: FastifyReply; wanted: WantedRefund };

/** Refunds a payment: the first post shows a confirmation, the second orders the refund. */
export const refundOrderPage: AdministrationPlugin = async (app, { context }) => {
  // The confirmation orders nothing yet.
  const proof = { to: 'pedir a devolução', when: (body: unknown) => textOf(body, 'key') !== '' };
  const refunding = { schema: { params: paymentParams }, config: { may: 'orderRefund' as const, proof } };
  app.post('/payments/:id/refunds', refunding, async (request, reply) => {
    const { result: wanted, wrong } = await readWanted(request);
    if (wrong) return tell({ request, reply: reply.code(400) }, wrong);
    const key = textOf(request.body, 'key');
    return key === ''
      ? confirm({ request, reply, wanted })
      : order({ request, reply, wanted }, hashOfKey(key));
  });

  async function confirm({ request, reply, wanted }: Asked): Promise<FastifyReply> {
    const full = await paymentInFull(context, request.actor, request.params.id);
    const { left, amount, refusal } = amountOrRefusal(context, full, wanted);
    if (refusal !== undefined)
      return tell({ request, reply: reply.code(409) }, { field: 'amount', message: refusal });
    return sendPage(request, reply, {
      title: `Devolver ${formatBrl(amount)}`,
      section: 'payments',
      content: (csrf) =>
        refundConfirmation(csrf, full, { ...wanted, left, amount, isAll: wanted.amount === null }),
    });
  }

  async function order({ request, reply, wanted }: Asked, idempotencyKey?: string): Promise<FastifyReply> {
    const id = await ownPayment(context.db, request.actor, request.params.id);
    const { amount, reason } = wanted;
    const by = authorOf(request, { reason });
    const shown = shownIn(request);
    try {
      await refundPayment(context, { paymentId: id, amount, shown, idempotencyKey, by }, request.log);
    } catch (error) {
      if (error instanceof RefundRefused)
        return tell(
          { request, reply: reply.code(409) },
          { field: 'amount', message: refusalWords(error.refusal) },
        );
      if (error instanceof RefundKeyReused)
        return tell({ request, reply: reply.code(422) }, { field: 'amount', message: orderedAlready });
      throw error;
    }
    return reply.redirect(`/panel/payments/${id}?done=refund-requested#refunds`, 303);
  }

  /** Shows the form again with the typed values and the error beside its field. */
  function tell({ request, reply }: Omit<Asked, 'wanted'>, wrong: FieldError): Promise<FastifyReply> {
    const [amount, reason] = [textOf(request.body, 'amount'), textOf(request.body, 'reason')];
    return showPayment(context, request, reply, {
      id: request.params.id,
      notice: alert('error', `Nenhuma devolução foi pedida. ${wrong.message}`),
      refusedRefund: { amount, reason, wrong },
    });
  }
};

/** @returns the centavos that the confirmation showed as all that is left; undefined for a named amount */
function shownIn({ body }: FastifyRequest): number | undefined {
  const shown = numberFrom(textOf(body, 'shown'));
  return shown === null ? undefined : centavosFrom(shown);
}

const orderedAlready = 'Este formulário já pediu outra devolução. Comece de novo.';

/** A refund as typed: the amount in reais, null for all that is left. */
type WantedRefund = { amount: number | null; reason: string | null };

const judge = judgeBy(RefundBody);

/** Reads the form of a refund. @returns the requested refund, or the wrong field */
async function readWanted(
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
 * @returns the amount, and what is left to order, in centavos; or the reason of the refusal
 */
function amountOrRefusal(
  { refundRetrySeconds: retrySeconds, now }: Pick<AdministrationContext, 'refundRetrySeconds' | 'now'>,
  full: PaymentInFull,
  { amount: reais }: WantedRefund,
): { left: number; amount: number; refusal?: never } | { refusal: string; left?: never; amount?: never } {
  const left = orderableAmount(factsOf(full), { retrySeconds, now: now() });
  const amount = reais === null ? left : (centavosFrom(reais) ?? 0);
  if (!isRefundable(full.payment.status))
    return { refusal: 'Só um pagamento aprovado ou consolidado pode ser devolvido.' };
  if (counted(full.pix).some((pix) => isRefundWindowOver(pix, now())))
    return { refusal: refusals.windowOver };
  if (left === 0)
    return {
      refusal: refundableAmount(full) > 0 ? refusals.refusedByBank : 'Nada resta a devolver deste pagamento.',
    };
  if (amount > left) return { refusal: `O valor é maior do que o que resta a devolver: ${formatBrl(left)}.` };
  return { left, amount };
}

/**
 * The requested refund, and what was left to order before it, in centavos. `isAll`: all that is left, which follows what
 * is left.
 */
type AskedRefund = { left: number; amount: number; isAll: boolean; reason: string | null };

/** Shows the refund before its order. The form's key makes sending it twice harmless. */
function refundConfirmation(
  csrf: string,
  full: PaymentInFull,
  { left, amount, isAll, reason }: AskedRefund,
): SafeHtml {
  const { payment, store } = full;
  const path = `/panel/payments/${payment.id}`;
  const kept = left - amount;
  // What the bank refused to give back is the payer's all the same.
  const refused = refundableAmount(full) - left;
  const entry = (name: string, value: SafeHtml) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  return html`<p class="back"><a href="${path}">Pagamento de ${formatBrl(payment.amount)}</a></p>
    <h1>${testBadge(payment.test)}Devolver ${money(amount)} a quem pagou?</h1>
    <div class="card narrow">
      <dl class="details">
        ${entry('Loja', html`<span class="wrap">${store?.name ?? payment.storeId}</span>`)}
        ${entry('Valor a devolver', money(amount))}
        ${refused > 0 && entry('Recusado pelo banco, ainda a devolver', money(refused))}
        ${entry('Fica com a loja', money(kept))}
        ${entry('Motivo', reason ? html`<span class="wrap">${reason}</span>` : html`<span class="muted">–</span>`)}
      </dl>
      <p>${outcome(kept, refused)} Isto não pode ser desfeito.</p>
      ${postForm(
        { csrf, action: `${path}/refunds` },
        html`<input type="hidden" name="key" value="${newId()}">
          <input type="hidden" name="amount" value="${isAll ? '' : numberText(amount / 100)}">
          <input type="hidden" name="shown" value="${isAll ? numberText(amount / 100) : ''}">
          <input type="hidden" name="reason" value="${reason ?? ''}">
          <div class="actions"><button class="button danger solid">Devolver ${formatBrl(amount)}</button>
          <a class="button quiet" href="${path}">Cancelar</a></div>`,
      )}
    </div>`;
}

/** @returns what becomes of the payment */
function outcome(kept: number, refused: number): string {
  if (kept > 0) return 'O status do pagamento fica como está.';
  const whole = refused > 0 ? 'Com o que o banco recusou, a devolução é total' : 'A devolução é total';
  return `${whole}: quando o banco a fizer, o pagamento passa a “Não aprovado”.`;
}
