import { txidOf } from '@payments/domain/identifiers';
import { html, nothing, type SafeHtml } from '../html.ts';
import { live, liveRegion } from '../live/live.ts';
import { statusBadge, statusNames } from '../page/badge.ts';
import { copyable } from '../page/copy.ts';
import { money } from '../page/money.ts';
import { time } from '../page/time.ts';
import { decisions, type WrongReason } from './decisions.ts';
import { deliverySection } from './delivery-section.ts';
import { pixSection, refundSection } from './money-section.ts';
import type { Picture } from './picture.ts';
import { timeline } from './timeline.ts';

/** What the page shows beside the payment itself. */
export type PaymentState = { reviewTimeoutSeconds: number; wrong?: WrongReason | undefined };

export function paymentPage(csrf: string, picture: Picture, notice: SafeHtml, state: PaymentState): SafeHtml {
  const { payment } = picture;
  const { summary, side, course } = parts(csrf, picture, state);
  const content = html`${summary}<div class="columns"><div class="column">${side}</div><div class="column">${course}</div></div>`;
  return html`<p class="back"><a href="/panel/payments">Pagamentos</a></p>
    ${notice}
    ${live(`/panel/payments/${payment.id}/live`, content)}`;
}

/** The parts of the page that change while it is open. */
export function regions(csrf: string, picture: Picture, state: PaymentState): SafeHtml[] {
  const { summary, side, course } = parts(csrf, picture, state);
  return [summary, ...side, ...course];
}

function parts(csrf: string, picture: Picture, state: PaymentState) {
  const { payment } = picture;
  const region = (id: string, content: SafeHtml) => liveRegion({ id, content }, csrf);
  const announce = `Estado: ${statusNames[payment.status][1]}`;
  return {
    summary: liveRegion({ id: 'summary', content: summary(picture), announce }, csrf),
    side: [
      region('decisions', decisions(csrf, payment, state)),
      region('code', code(picture)),
      region('details', details(picture)),
    ],
    course: [
      region('timeline', timeline(picture)),
      region('pix', pixSection(picture)),
      region('refunds', refundSection(csrf, picture)),
      region('deliveries', deliverySection(csrf, picture)),
    ],
  };
}

function summary({ payment }: Picture): SafeHtml {
  return html`<div class="title"><h1><span>Pagamento de ${money(payment.amount)}</span> ${statusBadge(payment.status)}</h1></div>`;
}

function code({ payment }: Picture): SafeHtml {
  const { copyAndPaste, id, status } = payment;
  if (status !== 'pending') return nothing;
  return html`<section class="card"><h2>Código Pix</h2>
    ${
      copyAndPaste
        ? html`<img class="qr" src="/panel/payments/${id}/qr.svg" alt="QR Code do pagamento" width="220" height="220">
          ${copyable('Pix copia e cola', copyAndPaste)}
          <p class="muted">Pode ser pago até ${time(payment.expiresAt)}.</p>`
        : html`<p class="muted">O banco ainda não registrou a cobrança. O código aparece aqui assim que ela existir.</p>`
    }</section>`;
}

function details({ payment, store }: Picture): SafeHtml {
  const entry = (name: string, value: SafeHtml) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const text = (value: string | null) =>
    value === null ? html`<span class="muted">–</span>` : html`<span class="wrap">${value}</span>`;
  return html`<section class="card"><h2>Dados</h2><dl class="details">
    ${entry('Valor', money(payment.amount))}
    ${entry('Taxa', money(payment.feeAmount))}
    ${entry('Valor líquido', money(payment.liquidValue))}
    ${entry('Loja', html`<a href="/panel/stores/${payment.storeId}">${store?.name ?? payment.storeId}</a>`)}
    ${entry('Criado em', time(payment.createdAt))}
    ${entry('Criado por', payment.isPublic ? html`API da loja` : html`Administração`)}
    ${entry('E-mail do cliente', text(payment.email))}
    ${entry('Observação', text(payment.observation))}
    ${entry('Webhook', text(payment.webhookUrl))}
    ${entry('Identificador', copyable('Identificador do pagamento', payment.id))}
    ${entry('txid', copyable('txid', txidOf(payment.id)))}
  </dl></section>`;
}
