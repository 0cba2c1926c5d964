import type { FastifyReply, FastifyRequest } from 'fastify';
import { pictureOf } from '../../admin/payments/picture.ts';
import type { ApiContext } from '../../context.ts';
import type { SafeHtml } from '../../html.ts';
import { formatBrl } from '../page/money.ts';
import { sendPage } from '../page/send-page.ts';
import { paymentPage, type Undone } from './payment-page.ts';

/** Sends a payment's current page. @throws ApiError 404 for an unknown payment, or another store's */
export async function showPayment(
  context: ApiContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, notice, ...undone }: { id: string; notice: SafeHtml } & Undone,
): Promise<FastifyReply> {
  const { actor } = request;
  const picture = await pictureOf(context, actor, id);
  return sendPage(request, reply, {
    title: `Pagamento de ${formatBrl(picture.payment.amount)}`,
    section: 'payments',
    content: (csrf) => paymentPage(csrf, picture, notice, { ...context, ...undone, actor }),
  });
}
