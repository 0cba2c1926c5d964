import type { PixReceived } from '@payments/database/charges/pix-received';
import type { StoredPayment } from '@payments/database/payments/payments';
import type { Refund } from '@payments/database/refunds/refunds';
import { isRefundable } from '@payments/domain/refunds';
import { may } from '@payments/domain/roles';
import { isOfPerson, refusalToRetry } from '@payments/settlement/refunds/refused-refund';
import { refusals } from '@payments/settlement/refusals';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { money } from '../../pages/money.ts';
import { time } from '../../pages/time.ts';
import { textArea } from '../kit/fields.ts';
import { confirmation } from '../kit/forms.ts';
import { emptyState, numeric, table } from '../kit/table.ts';
import { outlook, refundStatus, returnProgress } from '../refunds/parts.ts';
import { isTooLate } from './alerts.ts';
import { effectName, refundReason, refusalName } from './names.ts';
import type { PaymentState } from './payment-page.ts';
import type { Picture } from './picture-page.ts';

/** The section with the received Pix of a payment. */
export function pixSection({ pix, refunds }: Picture): SafeHtml {
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
  { payment, pix, refunds }: Picture,
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
      : html`<span class="small wrap block">${isOurs(lastError) ? nothing : 'Banco: '}${refusalName(lastError)}</span>`;
  const id = rtrId === null ? nothing : html`<span class="small muted mono wrap block">${rtrId}</span>`;
  return html`${error}${id}`;
}

const ourReasons: readonly string[] = [refusals.moreThanIsLeft, refusals.windowOver];

/** True for a reason of the service; any other is the bank's. */
const isOurs = (reason: string) => ourReasons.includes(reason);

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
