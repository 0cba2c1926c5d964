import type { StoredPayment } from '@payments/database/payments/payments';
import type { PaidPayment } from '@payments/database/payments/with-pix';
import { isReturnUnderWay, planRefunds } from '@payments/domain/refund-plan';
import { finalAmount, type MoneyFacts } from '@payments/domain/refunds';
import { may } from '@payments/domain/roles';
import { moneyOf } from '@payments/settlement/balance';
import type { Actor } from '../../access/actor.ts';
import type { AdministrationContext } from '../../context.ts';
import { html, money, nothing, type SafeHtml, time } from '../../pages/html.ts';
import { confirmation, textArea } from '../kit/forms.ts';
import { emptyState, numeric, orderOf, statusBadge, table, testBadge } from '../kit/parts.ts';
import { returnProgress, type UndoneRefund } from '../refunds/parts.ts';
import type { PaymentInFull } from './actions.ts';
import { type Move, movesOf } from './decision-words.ts';

const columns = ['Pagamento', 'Status', numeric('Valor'), 'Pedido e cliente', 'Criado em', 'Pix'];

/** A table of payments; with `storeNames`, also their stores. */
export function paymentTable(
  payments: readonly PaidPayment[],
  storeNames?: ReadonlyMap<string, string>,
): SafeHtml {
  if (payments.length === 0) return emptyState('Nenhum pagamento', 'Os pagamentos aparecem aqui.');
  const rows = payments.map((payment) => {
    const cells = [
      html`<a class="mono nowrap" href="/panel/payments/${payment.id}">${shortId(payment.id)}</a>`,
      html`${testBadge(payment.test)}${statusBadge(payment.status)}`,
      money(payment.amount),
      orderOf(payment),
      time(payment.createdAt),
      payingPix(payment),
    ];
    const store = html`<a href="/panel/stores/${payment.storeId}">${storeNames?.get(payment.storeId) ?? payment.storeId}</a>`;
    return storeNames ? [...cells.slice(0, 1), store, ...cells.slice(1)] : cells;
  });
  const heads = storeNames ? [...columns.slice(0, 1), 'Loja', ...columns.slice(1)] : columns;
  return table('Pagamentos', heads, rows);
}

/** When the payment was paid, and its Pix by the name that is on the payer's receipt, too. */
function payingPix({ paidBy }: PaidPayment): SafeHtml {
  if (!paidBy) return html`<span class="muted">–</span>`;
  return html`${time(paidBy.paidAt)}<span class="mono small wrap block">${paidBy.endToEndId}</span>`;
}

/** @returns the end of an id, where UUIDv7s of the same time differ */
function shortId(id: string): string {
  return `…${id.slice(-12)}`;
}

/** A refused decision: the typed reason and the wrong field, if any. */
export type UndoneDecision = { to: string; reason: string; back: 'reviews' | undefined; wrong?: string };

/** A refused action of the person, with the typed values. */
export type Undone = { undone?: UndoneDecision | undefined; undoneRefund?: UndoneRefund | undefined };

/** Everything that a payment's page shows besides the payment. */
export type PaymentState = Pick<
  AdministrationContext,
  'reviewTimeoutSeconds' | 'refundRetrySeconds' | 'now' | 'publicUrl'
> &
  Undone & { actor: Actor };

type DecisionForms = {
  /** Amount of the payment after an approval, in centavos. */
  approvable: number;
  undone?: UndoneDecision | undefined;
  /** Page to return to, if not the payment's. */
  back?: 'reviews' | undefined;
};

/** The section with the moves that an administrator may make now. */
export function decisions(csrf: string, full: PaymentInFull, state: PaymentState): SafeHtml {
  if (!may(state.actor.role, 'changeStatus')) return deadlineOnly(full, state);
  const { payment } = full;
  const facts = factsOf(full);
  const approvable = finalAmount({ ...facts, payment: { ...facts.payment, status: 'approved' } });
  const { undone } = state;
  const forms = decisionForms(csrf, payment, { approvable, undone, back: undone?.back });
  if (forms.length === 0) return nothing;
  return html`<section class="card"><h2>${payment.reviewSince ? 'Decidir' : 'Ações'}</h2>
    ${deadline(full, state)}${hindrance(full, state)}
    <div class="actions">${forms}</div></section>`;
}

/** For a role that only reads: until when the review waits. */
function deadlineOnly(full: PaymentInFull, state: PaymentState): SafeHtml {
  if (!full.payment.reviewSince) return nothing;
  return html`<section class="card"><h2>Em análise</h2>${deadline(full, state)}</section>`;
}

function deadline(
  { payment, refunds }: PaymentInFull,
  { reviewTimeoutSeconds }: Pick<PaymentState, 'reviewTimeoutSeconds'>,
): SafeHtml {
  const { reviewSince, reviewTimedOutAt } = payment;
  if (reviewTimedOutAt)
    return html`<p>O prazo da análise acabou em ${time(reviewTimedOutAt)}. ${returnProgress(refunds) ?? ''}</p>`;
  if (!reviewSince) return nothing;
  const until = new Date(reviewSince.getTime() + reviewTimeoutSeconds * 1_000);
  return html`<p class="muted">Sem uma decisão até ${time(until)}, a devolução será pedida ao banco.</p>`;
}

/** Warns that a payment with an unfinished refund can't be paid out. */
function hindrance(full: PaymentInFull, { refundRetrySeconds: retrySeconds, now }: PaymentState): SafeHtml {
  const { status } = full.payment;
  if (status !== 'approved' && status !== 'paid' && status !== 'rejected') return nothing;
  const facts = factsOf(full);
  if (!isReturnUnderWay(facts, planRefunds(facts, { retrySeconds, now: now() }))) return nothing;
  return html`<p class="muted">Há uma devolução em andamento. Até ela terminar, o pagamento não pode ser consolidado nem sacado.</p>`;
}

function factsOf({ payment, pix, refunds }: PaymentInFull): MoneyFacts {
  return { payment: moneyOf(payment), pix, refunds };
}

/** A form for each allowed move, with a reason for the history. */
export function decisionForms(csrf: string, payment: StoredPayment, options: DecisionForms): SafeHtml[] {
  return movesOf(payment, options.approvable).map((move) => form(csrf, payment.id, move, options));
}

function form(csrf: string, id: string, move: Move, { approvable, undone, back }: DecisionForms): SafeHtml {
  const typed = undone?.to === move.to ? undone : undefined;
  const reason = textArea({
    id: `reason-${move.to}-${id}`,
    name: 'reason',
    label: 'Motivo',
    hint: 'Fica no histórico do pagamento.',
    rows: 2,
    value: typed?.reason,
    error: typed?.wrong,
  });
  const fields = html`<input type="hidden" name="status" value="${move.to}">
    ${move.to === 'approved' ? html`<input type="hidden" name="shown" value="${approvable}">` : nothing}
    ${back ? html`<input type="hidden" name="back" value="${back}">` : nothing}${reason}`;
  const question = { csrf, action: `/panel/payments/${id}/status`, id: `move-${move.to}-${id}`, ...move };
  return confirmation({ ...question, open: typed !== undefined }, fields);
}
