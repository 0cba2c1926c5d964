import { centavosFrom } from '@payments/domain/money';
import { RefundKeyReused, RefundRefused } from '@payments/settlement/order-refund';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ownPayment } from '../../access/own.ts';
import { authorOf } from '../../access/page-author.ts';
import type { AdministrationContext } from '../../context.ts';
import { formatBrl } from '../../pages/money.ts';
import { alert } from '../kit/alert.ts';
import { numberFrom, textOf } from '../kit/form-values.ts';
import type { FieldError } from '../kit/judge.ts';
import { sendPage } from '../kit/send-page.ts';
import { showPayment } from '../payments/payment-page.ts';
import { pictureOf } from '../payments/picture-page.ts';
import { fitRefund, readRefund, type WantedRefund } from './read-refund.ts';
import { refundConfirmation } from './refund-confirmation.ts';
import { refundPayment } from './refund-payment.ts';

type Params = { Params: { id: string } };
type Asked = { request: FastifyRequest<Params>; reply: FastifyReply; wanted: WantedRefund };

/** Refunds a payment: the first post shows a confirmation, the second orders the refund. */
export function refundRoute(app: FastifyInstance, context: AdministrationContext): void {
  // The confirmation orders nothing yet.
  const proof = { to: 'pedir a devolução', when: (body: unknown) => textOf(body, 'key') !== '' };
  const refunding = { config: { may: 'orderRefund' as const, proof } };
  app.post<Params>('/payments/:id/refunds', refunding, async (request, reply) => {
    const { result: wanted, wrong } = await readRefund(request);
    if (wrong) return tell({ request, reply: reply.code(400) }, wrong);
    const key = textOf(request.body, 'key');
    return key === '' ? confirm({ request, reply, wanted }) : order({ request, reply, wanted }, key);
  });

  async function confirm({ request, reply, wanted }: Asked): Promise<FastifyReply> {
    const picture = await pictureOf(context, request.actor, request.params.id);
    const { amount, refusal } = fitRefund(picture, wanted, context.now());
    if (refusal !== undefined)
      return tell({ request, reply: reply.code(409) }, { field: 'amount', message: refusal });
    return sendPage(request, reply, {
      title: `Devolver ${formatBrl(amount)}`,
      section: 'payments',
      content: (csrf) =>
        refundConfirmation(csrf, picture, { ...wanted, amount, isAll: wanted.amount === null }),
    });
  }

  async function order({ request, reply, wanted }: Asked, idempotencyKey: string): Promise<FastifyReply> {
    const id = await ownPayment(context.db, request.actor, request.params.id);
    const { amount, reason } = wanted;
    const by = authorOf(request, reason);
    const shown = shownIn(request);
    try {
      await refundPayment(context, { paymentId: id, amount, shown, idempotencyKey, by }, request.log);
    } catch (error) {
      if (error instanceof RefundRefused)
        return tell({ request, reply: reply.code(409) }, { field: 'amount', message: error.message });
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
      undoneRefund: { amount, reason, wrong },
    });
  }
}

/** @returns the centavos that the confirmation showed as all that is left; undefined for a named amount */
function shownIn({ body }: FastifyRequest): number | undefined {
  const shown = numberFrom(textOf(body, 'shown'));
  return shown === null ? undefined : centavosFrom(shown);
}

const orderedAlready = 'Este formulário já pediu outra devolução. Comece de novo.';
