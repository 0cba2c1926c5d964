import { txidOf } from '@payments/domain/identifiers';
import { may } from '@payments/domain/roles';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { money } from '../../pages/money.ts';
import { time } from '../../pages/time.ts';
import { copyable } from '../kit/copy.ts';
import type { PaymentState } from './payment-page.ts';
import type { Picture } from './picture-page.ts';

/** The amounts beside the payment's value that differ from it: charged, received, refunded. */
function sumsOf({ payment, pix, refunds }: Picture): [name: string, amount: number][] {
  const { charged, amount } = payment;
  const sums: [string, number][] = [
    ['Valor cobrado', charged === amount ? 0 : charged],
    ['Recebido', sum(pix)],
    ['Em devolução', sum(refunds.filter(isUnderWay))],
    ['Devolvido', sum(refunds.filter(({ state }) => state === 'refunded'))],
  ];
  return sums.filter(([, value]) => value > 0);
}

const sum = (all: readonly { amount: number }[]) => all.reduce((total, { amount }) => total + amount, 0);

export function isUnderWay({ state }: Picture['refunds'][number]): boolean {
  return state === 'requested' || state === 'processing';
}

/** The section with the payment's fields and amounts. */
export function details(picture: Picture, { actor }: PaymentState): SafeHtml {
  const { payment, store } = picture;
  const sums = sumsOf(picture);
  const entry = (name: string, value: SafeHtml) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`;
  const text = (value: string | null) =>
    value === null ? html`<span class="muted">–</span>` : html`<span class="wrap">${value}</span>`;
  return html`<section class="card"><h2>Dados</h2><dl class="details">
    ${entry('Valor', money(payment.amount))}
    ${sums.map(([name, amount]) => entry(name, money(amount)))}
    ${entry('Taxa', money(payment.feeAmount))}
    ${entry('Valor líquido', money(payment.liquidValue))}
    ${actor.storeId === null ? entry('Loja', html`<a href="/panel/stores/${payment.storeId}"><span class="wrap">${store?.name ?? payment.storeId}</span></a>`) : nothing}
    ${may(actor.role, 'readBanks') ? entry('Banco', text(payment.bank)) : nothing}
    ${entry('Criado em', time(payment.createdAt))}
    ${entry('Criado por', payment.isPublic ? html`API da loja` : html`Administração`)}
    ${entry('E-mail do cliente', text(payment.email))}
    ${entry('Observação', text(payment.observation))}
    ${payment.reference !== null && entry('Referência', copyable('Referência', payment.reference))}
    ${entry('Webhook', text(payment.webhookUrl))}
    ${entry('Identificador', copyable('Identificador do pagamento', payment.id))}
    ${entry('txid', copyable('txid', txidOf(payment.id)))}
  </dl></section>`;
}
