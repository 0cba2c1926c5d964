import type { PayerPayment } from '@payments/database/payments/payer-pages';
import { isEndState, type PayerState } from '@payments/domain/payer-state';
import { formatBrl } from '../pages/formats.ts';
import { html, type SafeHtml } from '../pages/html.ts';
import type { PayerDocument } from './layout.ts';
import { payable } from './payable.ts';

const reloadSeconds = 10;

export type Shown = { payment: PayerPayment; state: PayerState; now: Date; base: string };

/** @returns a payment's page for its payer: what to do, or how it ended */
export function payerPage(shown: Shown): PayerDocument {
  const { payment, state, base } = shown;
  const { title, mark, content } = parts[state](shown);
  const main = html`<main class="${mark}" data-state="${state}" data-end="${String(isEndState(state))}"
    data-events="${base}/pay/${payment.id}/events">
    <p class="store">${payment.storeName}</p>
    <h1>${title}</h1>
    ${content}
  </main>`;
  return {
    title: `${title} · ${payment.storeName}`,
    main,
    reloadSeconds: isEndState(state) ? undefined : reloadSeconds,
  };
}

type Part = { title: string; mark: 'open' | 'good' | 'wait' | 'quiet'; content: SafeHtml };

const parts: Record<PayerState, (shown: Shown) => Part> = {
  waiting: (shown) => ({
    title: `Pague ${brl(shown)} com Pix`,
    mark: 'open',
    content: payable(shown),
  }),
  preparing: (shown) => ({
    title: 'Preparando o código Pix',
    mark: 'wait',
    content: html`<p>O banco está registrando a cobrança de ${brl(shown)}. O código aparece aqui em instantes.</p>`,
  }),
  overdue: () => ({
    title: 'O prazo para pagar terminou',
    mark: 'quiet',
    content: html`<p>Não pague mais este código.</p>
      <p>Se você já pagou, a confirmação aparece aqui em alguns minutos.</p>`,
  }),
  review: (shown) => ({
    title: 'Pagamento em análise',
    mark: 'wait',
    content: html`<p>Recebemos um Pix para a cobrança de ${brl(shown)}. Não é preciso pagar de novo.</p>
      <p>A análise costuma levar até 30 minutos. Se o pagamento não for aprovado, o dinheiro volta para a sua conta.</p>`,
  }),
  paid: (shown) => ({
    title: 'Pagamento confirmado',
    mark: 'good',
    content: html`<p class="value">${brl(shown)}</p>
      <p>O seu Pix para ${shown.payment.storeName} foi recebido. Você pode fechar esta página.</p>`,
  }),
  closed: ({ payment: { storeName } }) => ({
    title: 'Pagamento não aprovado',
    mark: 'quiet',
    content: html`<p>O prazo terminou ou o pagamento não pôde ser aceito. Não pague mais este código.</p>
      <p>Se você já pagou, o dinheiro volta para a sua conta. Para tentar de novo, peça outro código a ${storeName}.</p>`,
  }),
};

const brl = ({ payment: { amount } }: Shown) => formatBrl(amount).replace(' ', '\u00a0');
