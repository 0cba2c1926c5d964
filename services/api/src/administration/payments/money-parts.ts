import type { PixReceived } from '@payments/database/charges/pix-received';
import type { StoredPayment } from '@payments/database/payments/payments';
import type { Refund } from '@payments/database/refunds/refunds';
import { isRefundRule } from '@payments/domain/bank-error';
import { isRefundable, isRefundWindowOver } from '@payments/domain/refunds';
import { may } from '@payments/domain/roles';
import { isPaidOut } from '@payments/domain/status';
import { isOfPerson, refusalToRetry } from '@payments/settlement/refunds/refused-refund';
import { refusals } from '../../http/errors/refusals.ts';
import { html, money, nothing, type SafeHtml, time } from '../../pages/html.ts';
import { chargeWorkName } from '../banks/names.ts';
import { confirmation, textArea } from '../kit/forms.ts';
import { alert, emptyState, numeric, table } from '../kit/parts.ts';
import { outlook, refundStatus, returnProgress } from '../refunds/parts.ts';
import type { PaymentInFull } from './actions.ts';
import { effectName, refundErrorName, refundReason } from './names.ts';
import type { PaymentState } from './parts.ts';

/** The parts of a payment's page about its money: alerts, received Pix, refunds. */

/** Alerts at the top of a payment's page. */
export function alerts(full: PaymentInFull, { actor, now }: PaymentState): SafeHtml {
  const { refunds, problems } = full;
  return html`${refunds.filter(({ origin }) => origin === 'bank').map((one) => ofBank(one, full))}
    ${refunds.filter(({ owed }) => owed !== null).map((one) => ofOwed(one, isTooLate(one, full.pix, now()), may(actor.role, 'orderRefund')))}
    ${problems.map(({ work, tries, since }) =>
      alert(
        'warning',
        html`${chargeWorkName(work)} falhou ${tries} ${tries === 1 ? 'vez' : 'vezes'} desde ${time(since)}.
        ${may(actor.role, 'readProblems') ? html`<a href="/panel/charge-problems">Cobranças com problemas</a>` : nothing}`,
      ),
    )}`;
}

function ofBank(refund: Refund, { payment, history }: PaymentInFull): SafeHtml[] {
  const { amount, state, updatedAt } = refund;
  const what = html`<strong>${refundReason(refund)}</strong>, de ${money(amount)}`;
  if (isUnderWay(refund)) {
    return [alert('warning', html`${what}, em andamento.`)];
  }
  const withdrawn = history.find(({ status }) => status === 'withdrawal_processing');
  if (state !== 'refunded' || !isPaidOut(payment.status) || !withdrawn || updatedAt < withdrawn.occurredAt)
    return [];
  return [
    alert(
      'error',
      html`${what}, feita depois que o saque começou. O valor do pagamento agora é ${money(payment.amount)}.`,
    ),
  ];
}

export function isUnderWay({ state }: Refund): boolean {
  return state === 'requested' || state === 'processing';
}

/** @returns whether the bank gives the refund's Pix back no more */
function isTooLate({ endToEndId }: Refund, pix: readonly PixReceived[], at: Date): boolean {
  return pix.some((one) => one.endToEndId === endToEndId && isRefundWindowOver(one, at));
}

function ofOwed({ owed }: Refund, isOver: boolean, mayOrder: boolean): SafeHtml {
  const next = mayOrder ? html`<a href="#refunds">Peça de novo</a>.` : nothing;
  const why = isOver ? html`${refusals.windowOver}` : html`O banco recusou todas as tentativas. ${next}`;
  return alert('error', html`<strong>Devolução devida: ${money(owed)}.</strong> ${why}`);
}

/** The section with the received Pix of a payment. */
export function pixSection({ pix, refunds }: PaymentInFull): SafeHtml {
  const columns = [numeric('Valor'), 'Pago em', 'Efeito', 'endToEndId'];
  const rows = pix.map((one) => [
    money(one.amount),
    time(one.paidAt),
    html`${effect(one, refunds)}`,
    html`<span class="mono wrap">${one.endToEndId}</span>`,
  ]);
  return html`<section class="card flush"><h2>Pix recebidos</h2>
    ${pix.length === 0 ? emptyState('Nenhum Pix recebido', 'O Pix aparece aqui assim que o banco confirmar.') : table('Pix recebidos', columns, rows)}</section>`;
}

/** The effect of a Pix. For one that goes back, the state of its refund. */
function effect({ effect, counts, endToEndId }: PixReceived, refunds: readonly Refund[]): string {
  const progress = counts ? null : returnProgress(refunds.filter((one) => one.endToEndId === endToEndId));
  return progress ? `${effectName(effect)} ${progress}` : effectName(effect);
}

/** The section with the payment's refunds. A refused one can be ordered anew while its money is owed. */
export function refundSection(
  csrf: string,
  { payment, pix, refunds }: PaymentInFull,
  { actor, now }: Pick<PaymentState, 'actor' | 'now'>,
): SafeHtml {
  if (refunds.length === 0) return nothing;
  // A store's own people act while the payment is theirs to refund (Contract: roles).
  const mayAct = may(actor.role, 'orderRefund') && (actor.storeId === null || isRefundable(payment.status));
  const columns = ['Status', numeric('Valor'), 'Motivo', 'Pedida em'];
  const rows = refunds.map((refund) => [
    html`${refundStatus(refund)}${outlook(refund)}${mayAct ? actions(csrf, refund, { payment, pix, refunds, at: now() }) : nothing}`,
    money(refund.amount),
    html`<span class="words">${refundReason(refund)}</span>${note(refund)}${answer(refund)}`,
    time(refund.createdAt),
  ]);
  return html`<section class="card flush"><h2>Devoluções</h2>${table('Devoluções', columns, rows)}</section>`;
}

function note({ note }: Refund): SafeHtml {
  return note === null ? nothing : html`<span class="small muted wrap block">${note}</span>`;
}

/** The bank's reason and the refund's identifier at all banks. */
function answer({ rtrId, lastError }: Refund): SafeHtml {
  const error =
    lastError === null
      ? nothing
      : html`<span class="small wrap block">${isRefundRule(lastError) ? nothing : 'Banco: '}${refundErrorName(lastError)}</span>`;
  const id = rtrId === null ? nothing : html`<span class="small muted mono wrap block">${rtrId}</span>`;
  return html`${error}${id}`;
}

type Beside = { payment: StoredPayment; pix: readonly PixReceived[]; refunds: readonly Refund[]; at: Date };

const orderAnew = {
  name: 'refund',
  path: 'retry',
  label: 'Pedir de novo',
  warning:
    'O banco recusou esta devolução. Uma nova devolução, com o valor que falta, será pedida agora. Isto não pode ser desfeito.',
  confirm: 'Pedir devolução',
  danger: false,
};

const withdraw = {
  name: 'withdraw',
  path: 'withdraw',
  label: 'Desistir da devolução',
  warning: 'O banco recusou esta devolução. Ela não será pedida de novo, e o valor continua com a loja.',
  confirm: 'Desistir da devolução',
  danger: true,
};

/** The buttons of a refused refund: order it again, or withdraw it. */
function actions(csrf: string, refund: Refund, { payment, pix, refunds, at }: Beside): SafeHtml[] {
  if (refusalToRetry(refund, refunds, payment) !== null) return [];
  const { paymentId, id } = refund;
  const isOver = isTooLate(refund, pix, at);
  const possible = [...(isOver ? [] : [orderAnew]), ...(isOfPerson(refund, payment) ? [withdraw] : [])];
  return possible.map(({ name, path, ...words }) => {
    const action = `/panel/payments/${paymentId}/refunds/${id}/${path}`;
    const reason = textArea({ id: `${name}-reason-${id}`, name: 'reason', label: 'Motivo', rows: 2 });
    return html`<div class="block">${confirmation({ csrf, action, id: `${name}-${id}`, ...words }, reason)}</div>`;
  });
}
