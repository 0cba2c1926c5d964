import type { PixReceived } from '@payments/database/charges/pix-received';
import type { Refund } from '@payments/database/refunds/refunds';
import { isRefundWindowOver } from '@payments/domain/refunds';
import { may } from '@payments/domain/roles';
import { isPaidOut } from '@payments/domain/status';
import { refusals } from '@payments/settlement/refusals';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { money } from '../../pages/money.ts';
import { time } from '../../pages/time.ts';
import { chargeWorkName } from '../banks/charge-problem-names.ts';
import { alert } from '../kit/alert.ts';
import { isUnderWay } from './details.ts';
import { refundReason } from './names.ts';
import type { PaymentState } from './payment-page.ts';
import type { Picture } from './picture-page.ts';

/** Alerts at the top of a payment's page. */
export function alerts(picture: Picture, { actor, now }: PaymentState): SafeHtml {
  const { refunds, problems } = picture;
  return html`${refunds.filter(({ origin }) => origin === 'bank').map((one) => ofBank(one, picture))}
    ${refunds.filter(({ owed }) => owed !== null).map((one) => ofOwed(one, isTooLate(one, picture.pix, now()), may(actor.role, 'orderRefund')))}
    ${problems.map(({ work, tries, since }) =>
      alert(
        'warning',
        html`${chargeWorkName(work)} falhou ${tries} ${tries === 1 ? 'vez' : 'vezes'} desde ${time(since)}.
        ${may(actor.role, 'readProblems') ? html`<a href="/panel/charge-problems">Cobranças com problemas</a>` : nothing}`,
      ),
    )}`;
}

function ofBank(refund: Refund, { payment, history }: Picture): SafeHtml[] {
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

/** @returns whether the bank gives the refund's Pix back no more */
export function isTooLate({ endToEndId }: Refund, pix: readonly PixReceived[], at: Date): boolean {
  return pix.some((one) => one.endToEndId === endToEndId && isRefundWindowOver(one, at));
}

function ofOwed({ owed }: Refund, isOver: boolean, mayOrder: boolean): SafeHtml {
  const next = mayOrder ? html`<a href="#refunds">Peça de novo</a>.` : nothing;
  const why = isOver ? html`${refusals.windowOver}` : html`O banco recusou todas as tentativas. ${next}`;
  return alert('error', html`<strong>Devolução devida: ${money(owed)}.</strong> ${why}`);
}
