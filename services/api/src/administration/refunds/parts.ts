import type { Refund } from '@payments/database/refunds/refunds';
import { orderableAmount } from '@payments/domain/refund-plan';
import { counted, isRefundable, isRefundWindowOver, refundableAmount } from '@payments/domain/refunds';
import { may } from '@payments/domain/roles';
import { refusals } from '../../http/errors/api-error.ts';
import { formatBrl, html, money, nothing, type SafeHtml, time } from '../../pages/html.ts';
import { errorOf, type FieldError } from '../kit/form-values.ts';
import { confirmation, textArea, textField } from '../kit/forms.ts';
import { badge, refundBadge } from '../kit/parts.ts';
import type { PaymentInFull } from '../payments/actions.ts';
import { factsOf, type PaymentState } from '../payments/parts.ts';

/** A refund's state, with a mark if it waits for a person. */
export function refundStatus({
  state,
  owed,
  lastError,
}: Pick<Refund, 'state' | 'owed' | 'lastError'>): SafeHtml {
  const isOver = lastError?.code === 'windowOver';
  const due = badge('wait', isOver ? 'Devida' : 'Devida: peça de novo');
  return html`${refundBadge(state)}${owed === null ? nothing : html` ${due}`}`;
}

type Outlook = Pick<Refund, 'state' | 'wanted' | 'owed' | 'orderAgainAt' | 'orderAgainAmount'>;

/** The next step of a refused refund: the missing amount, with the time of the automatic new order, or none. */
export function outlook({ state, wanted, owed, orderAgainAt, orderAgainAmount }: Outlook): SafeHtml {
  const missing = owed ?? orderAgainAmount;
  if (missing !== null)
    return html`<span class="small block">Faltam ${money(missing)}.${orderAgainAt === null ? nothing : html` Será pedida de novo em ${time(orderAgainAt)}`}</span>`;
  const isEnded = state === 'failed' && wanted === 0;
  return isEnded ? html`<span class="small block">Não será pedida de novo.</span>` : nothing;
}

type Progress = 'refused' | 'requested' | 'processing' | 'made';

const sentences: Record<Progress, string> = {
  refused: 'O banco recusou a devolução.',
  requested: 'A devolução foi pedida ao banco.',
  processing: 'A devolução está em processamento no banco.',
  made: 'O valor foi devolvido.',
};

/** @returns the progress of the refunds in words; null without a refund */
export function returnProgress(refunds: readonly Refund[]): string | null {
  const isReplaced = ({ id }: Refund) => refunds.some(({ replaces }) => replaces === id);
  const found = new Set(refunds.filter((refund) => !isReplaced(refund)).map(progressOf));
  // The refund that is furthest from done decides the text.
  const order: readonly Progress[] = ['refused', 'requested', 'processing', 'made'];
  const least = order.find((progress) => found.has(progress));
  return least ? sentences[least] : null;
}

/** A refused refund counts only while its money is owed: otherwise another refund replaced it. */
function progressOf({ state, owed, orderAgainAt }: Refund): Progress | null {
  if (state === 'failed') return owed === null && orderAgainAt === null ? null : 'refused';
  return state === 'refunded' ? 'made' : state;
}

/** A refused refund: the typed values and the wrong field. */
export type RefundForm = { amount: string; reason: string; wrong: FieldError };

/** The form for a full or partial refund. A confirmation page follows it. */
export function refundForm(
  csrf: string,
  full: PaymentInFull,
  { actor, refusedRefund, refundRetrySeconds: retrySeconds, now }: PaymentState,
): SafeHtml {
  const { payment } = full;
  if (!isRefundable(payment.status) || !may(actor.role, 'orderRefund')) return nothing;
  const left = orderableAmount(factsOf(full), { retrySeconds, now: now() });
  const isOver = counted(full.pix).some((pix) => isRefundWindowOver(pix, now()));
  const isRefused = refundableAmount(full) > 0;
  const why =
    (isOver && refusals.windowOver) ||
    (isRefused ? refusals.refusedByBank : 'Nada resta a devolver deste pagamento.');
  const body =
    left === 0 || isOver
      ? html`<p class="muted">${refusedRefund?.wrong.message ?? why}</p>`
      : html`<p class="muted">Ainda podem ser devolvidos ${money(left)}.</p>
        ${question(csrf, payment.id, left, refusedRefund)}`;
  return html`<section class="card"><h2>Devolver</h2>${body}</section>`;
}

function question(csrf: string, id: string, left: number, refusedRefund: RefundForm | undefined): SafeHtml {
  const fields = html`${textField({
    id: 'refund-amount',
    name: 'amount',
    label: 'Valor a devolver',
    prefix: 'R$',
    inputmode: 'decimal',
    hint: `Em branco: tudo o que resta, ${formatBrl(left)}. Um valor é devolvido inteiro ou não é devolvido.`,
    value: refusedRefund?.amount,
    error: errorOf(refusedRefund?.wrong, 'amount'),
  })}${textArea({
    id: 'refund-reason',
    name: 'reason',
    label: 'Motivo',
    hint: 'Fica no histórico do pagamento.',
    rows: 2,
    value: refusedRefund?.reason,
    error: errorOf(refusedRefund?.wrong, 'reason'),
  })}`;
  return confirmation(
    {
      csrf,
      action: `/panel/payments/${id}/refunds`,
      id: 'refund',
      label: 'Devolver a quem pagou',
      warning: 'Na próxima página você confirma o valor e pede a devolução.',
      confirm: 'Continuar',
      danger: false,
      open: refusedRefund !== undefined,
    },
    fields,
  );
}
