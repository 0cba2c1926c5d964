import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import type { AdministrationContext } from '../../context.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { formatBrl, money } from '../../pages/money.ts';
import { time } from '../../pages/time.ts';
import { statusBadge, statusNames } from '../kit/badge.ts';
import { copyable } from '../kit/copy.ts';
import { live, liveRegion } from '../kit/live.ts';
import { sendPage } from '../kit/send-page.ts';
import { refundForm, type UndoneRefund } from '../refunds/parts.ts';
import { alerts } from './alerts.ts';
import { decisions, type UndoneDecision } from './decisions.ts';
import { deliverySection } from './delivery-section.ts';
import { details } from './details.ts';
import { pixSection, refundSection } from './money-section.ts';
import { type Picture, pictureOf } from './picture-page.ts';
import { timeline } from './timeline.ts';

/** A refused action of the person, with the typed values. */
type Undone = { undone?: UndoneDecision | undefined; undoneRefund?: UndoneRefund | undefined };

/** What the page shows besides the payment. */
export type PaymentState = Pick<
  AdministrationContext,
  'reviewTimeoutSeconds' | 'refundRetrySeconds' | 'now' | 'publicUrl'
> &
  Undone & { actor: Actor };

/** Sends a payment's current page. @throws ApiError 404 for an unknown payment, or another store's */
export async function showPayment(
  context: AdministrationContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, notice, ...undone }: { id: string; notice: SafeHtml } & Undone,
): Promise<FastifyReply> {
  const { actor } = request;
  const picture = await pictureOf(context, actor, id);
  const { payment } = picture;
  const content = (csrf: string) => {
    const { head, side, course } = parts(csrf, picture, { ...context, ...undone, actor });
    const columns = html`<div class="columns"><div class="column">${side}</div><div class="column">${course}</div></div>`;
    return html`<p class="back"><a href="/panel/payments">Pagamentos</a></p>
    ${notice}
    ${live(`/panel/payments/${payment.id}/live`, html`${head}${columns}`)}`;
  };
  const title = `Pagamento de ${formatBrl(payment.amount)}`;
  return sendPage(request, reply, { title, section: 'payments', content });
}

/** The parts of the page that change while it is open. */
export function regions(csrf: string, picture: Picture, state: PaymentState): SafeHtml[] {
  const { head, side, course } = parts(csrf, picture, state);
  return [...head, ...side, ...course];
}

function parts(csrf: string, picture: Picture, state: PaymentState) {
  const { payment } = picture;
  const region = (id: string, content: SafeHtml) => liveRegion({ id, content }, csrf);
  const announce = `Status: ${statusNames[payment.status][1]}`;
  return {
    head: [
      liveRegion({ id: 'summary', content: summary(picture), announce }, csrf),
      region('alerts', alerts(picture, state)),
    ],
    side: [
      region('decisions', decisions(csrf, picture, state)),
      region('refund-form', refundForm(csrf, picture, state)),
      region('code', code(picture, state)),
      region('details', details(picture, state)),
    ],
    course: [
      region('timeline', timeline(picture)),
      region('pix', pixSection(picture)),
      region('refunds', refundSection(csrf, picture, state)),
      region('deliveries', deliverySection(csrf, picture, state)),
    ],
  };
}

function summary({ payment }: Picture): SafeHtml {
  return html`<div class="title"><h1><span>Pagamento de ${money(payment.amount)}</span> ${statusBadge(payment.status)}</h1></div>`;
}

function code({ payment }: Picture, { publicUrl }: PaymentState): SafeHtml {
  const { copyAndPaste, id, status } = payment;
  if (status !== 'pending') return nothing;
  return html`<section class="card"><h2>Código Pix</h2>
    ${
      copyAndPaste
        ? html`<img class="qr" src="/panel/payments/${id}/qr.svg" alt="QR Code do pagamento" width="220" height="220">
          ${copyable('Pix copia e cola', copyAndPaste)}
          ${copyable('Página para quem paga', `${publicUrl}/pay/${id}`)}
          <p class="muted">Pode ser pago até ${time(payment.expiresAt)}.</p>`
        : html`<p class="muted">O banco ainda não registrou a cobrança. O código aparece aqui logo depois do registro.</p>`
    }</section>`;
}
