import type { PixReceived } from '@payments/database/charges/pix-received';
import type { StoredPayment } from '@payments/database/payments/payments';
import type { PaidPayment } from '@payments/database/payments/with-pix';
import type { Refund } from '@payments/database/refunds/refunds';
import { isRefundRule } from '@payments/domain/bank-error';
import { isReturnUnderWay, planRefunds } from '@payments/domain/refund-plan';
import {
  finalAmount,
  isRefundable,
  isRefundWindowOver,
  type MoneyFacts,
  ofCounted,
  refundableAmount,
} from '@payments/domain/refunds';
import { may } from '@payments/domain/roles';
import { isPaidOut, type PaymentStatus } from '@payments/domain/status';
import { moneyOf } from '@payments/settlement/balance';
import { isOfPerson, refusalToRetry } from '@payments/settlement/refunds/refused-refund';
import type { Actor } from '../../access/actor.ts';
import type { AdministrationContext } from '../../context.ts';
import { refusals } from '../../http/errors/api-error.ts';
import { html, money, nothing, type SafeHtml, time } from '../../pages/html.ts';
import { chargeWorkName } from '../banks/names.ts';
import { kindIn } from '../kit/filters.ts';
import { confirmation, textArea } from '../kit/forms.ts';
import { alert, orderOf, statusBadge, testBadge } from '../kit/parts.ts';
import { emptyState, linkTo, numeric, table } from '../kit/tables.ts';
import { outlook, type RefundForm, refundStatus, returnProgress } from '../refunds/parts.ts';
import type { PaymentInFull } from './actions.ts';
import {
  type DecidedAmounts,
  effectName,
  type Move,
  movesOf,
  refundErrorName,
  refundReason,
} from './names.ts';

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
    const store = html`<a class="words" href="/panel/stores/${payment.storeId}">${storeNames?.get(payment.storeId) ?? payment.storeId}</a>`;
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
export type DecisionForm = {
  /** The status that the form's page showed. */
  from: PaymentStatus | undefined;
  to: string;
  reason: string;
  back: 'reviews' | undefined;
  wrong?: string;
};

/** A refused action of the person, with the typed values. */
export type RefusedForms = {
  refusedDecision?: DecisionForm | undefined;
  refusedRefund?: RefundForm | undefined;
  refusedAction?: ActionForm | undefined;
};

/** A form of a refused refund as it was sent, and what is wrong with its reason. */
export type ActionForm = { refundId: string; action: 'retry' | 'withdraw'; reason: string; wrong?: string };

/** Everything that a payment's page shows besides the payment. */
export type PaymentState = Pick<
  AdministrationContext,
  'reviewTimeoutSeconds' | 'refundRetrySeconds' | 'now' | 'publicUrl'
> &
  RefusedForms & { actor: Actor };

type DecisionForms = DecidedAmounts & {
  refusedDecision?: DecisionForm | undefined;
  /** Page to return to, if not the payment's. */
  back?: 'reviews' | undefined;
};

/** The section with the moves that an administrator may make now. */
export function decisions(csrf: string, full: PaymentInFull, state: PaymentState): SafeHtml {
  if (!may(state.actor.role, 'changeStatus')) return deadlineOnly(full, state);
  const { payment } = full;
  const facts = factsOf(full);
  const approvable = finalAmount({ ...facts, payment: { ...facts.payment, status: 'approved' } });
  const { refusedDecision } = state;
  const amounts = { approvable, refundable: refundableAmount(facts) };
  const forms = decisionForms(csrf, payment, { ...amounts, refusedDecision, back: refusedDecision?.back });
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

export function factsOf({ payment, pix, refunds }: PaymentInFull): MoneyFacts {
  return { payment: moneyOf(payment), pix, refunds };
}

/** A form for each allowed move, with a reason for the history. */
export function decisionForms(csrf: string, payment: StoredPayment, options: DecisionForms): SafeHtml[] {
  return movesOf(payment, options).map((move) => form(csrf, payment, move, options));
}

function form(
  csrf: string,
  { id, status: from }: StoredPayment,
  move: Move,
  { approvable, refusedDecision, back }: DecisionForms,
): SafeHtml {
  const isTyped = refusedDecision?.to === move.to && (refusedDecision.from ?? from) === from;
  const typed = isTyped ? refusedDecision : undefined;
  // A page that updates itself keeps an opened form by its id, and to cancel is not to give back.
  const named = `${from}-${move.to}-${id}`;
  const reason = textArea({
    id: `reason-${named}`,
    name: 'reason',
    label: 'Motivo',
    hint: 'Fica no histórico do pagamento.',
    rows: 2,
    value: typed?.reason,
    error: typed?.wrong,
  });
  const fields = html`<input type="hidden" name="status" value="${move.to}"><input type="hidden" name="from" value="${from}">
    ${move.to === 'approved' ? html`<input type="hidden" name="shown" value="${approvable}">` : nothing}
    ${back ? html`<input type="hidden" name="back" value="${back}">` : nothing}${reason}`;
  const question = { csrf, action: `/panel/payments/${id}/status`, id: `move-${named}`, ...move };
  return confirmation({ ...question, open: typed !== undefined }, fields);
}

// The parts of a payment's page about its money: alerts, received Pix, refunds.

/** Alerts at the top of a payment's page. */
export function alerts(full: PaymentInFull, { actor, now }: PaymentState): SafeHtml {
  const { payment, refunds, problems } = full;
  return html`${refunds.filter(({ origin }) => origin === 'bank').map((one) => ofBank(one, full))}
    ${refunds.filter(({ owed }) => owed !== null).map((one) => ofOwed(one, isTooLate(one, full.pix, now()), may(actor.role, 'orderRefund')))}
    ${problems.map(({ work, tries, since }) =>
      alert(
        'warning',
        html`${chargeWorkName(work)} falhou ${tries.toLocaleString('pt-BR')} ${tries === 1 ? 'vez' : 'vezes'} desde ${time(since)}.
        ${may(actor.role, 'readProblems') ? html`<a href="${linkTo('/panel/charge-problems', kindIn(payment.test))}">Cobranças com problemas</a>` : nothing}`,
      ),
    )}`;
}

function ofBank(refund: Refund, { payment, history, pix }: PaymentInFull): SafeHtml[] {
  const { amount, state, updatedAt } = refund;
  const what = html`<strong>${refundReason(refund)}</strong>, de ${money(amount)}`;
  if (isUnderWay(refund)) {
    return [alert('warning', html`${what}, em andamento.`)];
  }
  if (ofCounted(pix, [refund]).length === 0) return [];
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
  { actor, now, refusedAction }: Pick<PaymentState, 'actor' | 'now' | 'refusedAction'>,
): SafeHtml {
  if (refunds.length === 0) return nothing;
  // A store's own people act while the payment is theirs to refund (Contract: roles).
  const mayAct = may(actor.role, 'orderRefund') && (actor.storeId === null || isRefundable(payment.status));
  const columns = ['Status', numeric('Valor'), 'Motivo', 'Pedida em'];
  const rows = refunds.map((refund) => [
    html`${refundStatus(refund)}${outlook(refund)}${mayAct ? actions(csrf, refund, { payment, pix, refunds, at: now(), refusedAction }) : nothing}`,
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

type Beside = {
  payment: StoredPayment;
  pix: readonly PixReceived[];
  refunds: readonly Refund[];
  at: Date;
  refusedAction: ActionForm | undefined;
};

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
function actions(csrf: string, refund: Refund, beside: Beside): SafeHtml[] {
  const { payment, pix, refunds, at, refusedAction: refused } = beside;
  if (refusalToRetry(refund, refunds, payment) !== null) return [];
  const { paymentId, id } = refund;
  const isOver = isTooLate(refund, pix, at);
  const possible = [...(isOver ? [] : [orderAnew]), ...(isOfPerson(refund, payment) ? [withdraw] : [])];
  return possible.map(({ name, path, ...words }) => {
    const action = `/panel/payments/${paymentId}/refunds/${id}/${path}`;
    const typed = refused?.refundId === id && refused.action === path ? refused : undefined;
    const reason = textArea({
      ...{ id: `${name}-reason-${id}`, name: 'reason', label: 'Motivo', rows: 2 },
      ...{ value: typed?.reason, error: typed?.wrong },
    });
    const question = { csrf, action, id: `${name}-${id}`, open: typed !== undefined, ...words };
    return html`<div class="block">${confirmation(question, reason)}</div>`;
  });
}
