import type { HistoryEntry } from '@payments/database/payments/history';
import { findPayment } from '@payments/database/payments/payments';
import type { ChangeAction } from '@payments/database/record/change-actions';
import type { Change } from '@payments/database/record/changes';
import type { Refund } from '@payments/database/refunds/refunds';
import { txidOf } from '@payments/domain/identifiers';
import { centavosFrom } from '@payments/domain/money';
import { type PayerState, payerState } from '@payments/domain/payer-state';
import { ofCounted } from '@payments/domain/refunds';
import { may } from '@payments/domain/roles';
import type { PaymentStatus } from '@payments/domain/status';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ownPayment } from '../../access/actor.ts';
import type { AdministrationContext, AdministrationPlugin } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { formatBrl, html, money, nothing, type SafeHtml, time } from '../../pages/html.ts';
import { qrImage } from '../../public/qr/images.ts';
import { deliverySection } from '../deliveries/parts.ts';
import { kindIn } from '../kit/filters.ts';
import { textOf } from '../kit/form-values.ts';
import { live, liveRegion, sendPage, sendRegions } from '../kit/layout.ts';
import { copyable, notice, refundBadge, statusBadge, statusNames, testBadge } from '../kit/parts.ts';
import { linkTo } from '../kit/tables.ts';
import { actionName } from '../record/page.ts';
import { refundForm, returnProgress } from '../refunds/parts.ts';
import { paymentParams } from '../shapes.ts';
import { type PaymentInFull, paymentInFull } from './actions.ts';
import { actorName, reasonOf } from './names.ts';
import {
  alerts,
  decisions,
  isUnderWay,
  type PaymentState,
  pixSection,
  type RefusedForms,
  refundSection,
} from './parts.ts';

/** A payment's page, its live parts, and its QR code. */
export const paymentPage: AdministrationPlugin = async (app, { context }) => {
  const { db } = context;
  const schema = { params: paymentParams };
  const reading = { schema, config: { may: 'readPayments' as const } };
  app.get('/payments/:id', reading, async (request, reply) => {
    const done = notice(textOf(request.query, 'done'));
    return showPayment(context, request, reply, { id: request.params.id, notice: done });
  });

  // An open page requests this every other second, which would flood the log.
  const updating = { schema, config: { may: 'readPayments' as const, unlogged: true } };
  app.get('/payments/:id/live', updating, async (request, reply) => {
    const { actor } = request;
    const full = await paymentInFull(context, actor, request.params.id);
    return sendRegions(request, reply, (csrf) => regions(csrf, full, { ...context, actor }));
  });

  app.get('/payments/:id/qr.svg', reading, async (request, reply) => {
    const id = await ownPayment(db, request.actor, request.params.id);
    const payment = await findPayment(db, id);
    const code = payment?.copyAndPaste;
    if (!code || stateOf(payment, context.now()) !== 'waiting') throw errors.qrCodeNotFound();
    return reply.type('image/svg+xml').send(qrImage('svg', { code, isTest: payment.test }));
  });
};

/** Sends a payment's current page. @throws ApiError 404 for an unknown payment, or another store's */
export async function showPayment(
  context: AdministrationContext,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, notice, ...refused }: { id: string; notice: SafeHtml } & RefusedForms,
): Promise<FastifyReply> {
  const { actor } = request;
  const full = await paymentInFull(context, actor, id);
  const { payment } = full;
  const content = (csrf: string) => {
    const { head, side, course } = parts(csrf, full, { ...context, ...refused, actor });
    const columns = html`<div class="columns"><div class="column">${side}</div><div class="column">${course}</div></div>`;
    return html`<p class="back"><a href="${linkTo('/panel/payments', kindIn(payment.test))}">Pagamentos</a></p>
    ${notice}
    ${live(`/panel/payments/${payment.id}/live`, html`${head}${columns}`)}`;
  };
  const title = `Pagamento de ${formatBrl(payment.amount)}`;
  return sendPage(request, reply, { title, section: 'payments', content });
}

/** The parts of the page that change while it is open. */
function regions(csrf: string, full: PaymentInFull, state: PaymentState): SafeHtml[] {
  const { head, side, course } = parts(csrf, full, state);
  return [...head, ...side, ...course];
}

function parts(csrf: string, full: PaymentInFull, state: PaymentState) {
  const { payment } = full;
  const region = (id: string, content: SafeHtml) => liveRegion({ id, content }, csrf);
  const unrefused = {
    ...state,
    refusedDecision: undefined,
    refusedRefund: undefined,
    refusedAction: undefined,
  };
  const formRegion = (id: string, form: typeof decisions) =>
    liveRegion({ id, content: form(csrf, full, state), plain: form(csrf, full, unrefused) }, csrf);
  const announce = `Status: ${statusNames[payment.status][1]}`;
  return {
    head: [
      liveRegion({ id: 'summary', content: summary(full), announce }, csrf),
      region('alerts', alerts(full, state)),
    ],
    side: [
      formRegion('decisions', decisions),
      formRegion('refund-form', refundForm),
      region('code', code(full, state)),
      region('details', details(full, state)),
    ],
    course: [
      region('timeline', timeline(full)),
      region('pix', pixSection(full)),
      formRegion('refunds', refundSection),
      region('deliveries', deliverySection(csrf, full, state)),
    ],
  };
}

function summary({ payment }: PaymentInFull): SafeHtml {
  return html`<div class="title"><h1><span>Pagamento de ${money(payment.amount)}</span> ${testBadge(payment.test)}${statusBadge(payment.status)}</h1></div>`;
}

/** @returns what the payer sees: no code that may not be paid any more is shown to anybody */
function stateOf({ status, copyAndPaste, expiresAt }: PaymentInFull['payment'], now: Date): PayerState {
  return payerState({ status, hasCode: copyAndPaste !== null, expiresAt }, now);
}

function code({ payment }: PaymentInFull, { publicUrl, now }: PaymentState): SafeHtml {
  const { copyAndPaste, id, status } = payment;
  if (status !== 'pending') return nothing;
  const state = stateOf(payment, now());
  if (state === 'overdue')
    return html`<section class="card"><h2>Código Pix</h2>
      <p class="muted">O prazo para pagar terminou em ${time(payment.expiresAt)}.</p></section>`;
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

/** The section with the payment's fields and amounts. */
function details(full: PaymentInFull, { actor }: PaymentState): SafeHtml {
  const { payment, store } = full;
  const sums = sumsOf(full);
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
    ${payment.description !== null && entry('Descrição para quem paga', text(payment.description))}
    ${entry('Webhook', text(payment.webhookUrl))}
    ${entry('Identificador', copyable('Identificador do pagamento', payment.id))}
    ${entry('txid', copyable('txid', txidOf(payment.id)))}
  </dl></section>`;
}

/** The amounts beside the payment's value that differ from it: charged, received, refunded. */
function sumsOf({ payment, pix, refunds }: PaymentInFull): [name: string, amount: number][] {
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

type Entry = { at: Date; what: SafeHtml; who: string; why: string | null; requestId: string | null };

/** Changes that the history shows by their events. */
const shownByEvents = new Set<ChangeAction>(['payment.created', 'payment.status_changed']);

/** The section with a payment's history. */
function timeline({ history, changes, refunds, pix }: PaymentInFull): SafeHtml {
  const returned = ofCounted(pix, refunds).filter(({ state }) => state === 'refunded');
  const others = changes.filter(({ action }) => !shownByEvents.has(action));
  const entries = [
    ...history.map((event) => ofEvent(event, { refunds, returned })),
    ...others.map(ofChange),
  ].sort((a, b) => a.at.getTime() - b.at.getTime());
  return html`<section class="card"><h2>Histórico</h2>
    <ol class="timeline">${entries.map(item)}</ol></section>`;
}

/** A payment's refunds, and those that were made of the Pix that count. */
type Returns = { refunds: readonly Refund[]; returned: readonly Refund[] };

function ofEvent(event: HistoryEntry, returns: Returns): Entry {
  const { actor, author, occurredAt: at, requestId } = event;
  return { at, what: happened(event), who: author ?? actorName(actor), why: why(event, returns), requestId };
}

function happened({ type, previousStatus, status, refund }: HistoryEntry): SafeHtml {
  if (type === 'payment.created') return html`<strong>Criado</strong> ${statusBadge(status)}`;
  if (refund)
    return html`<strong>Devolução</strong> de ${money(centavosFrom(refund.amount) ?? 0)} ${refundBadge(refund.status)}`;
  if (type === 'payment.updated') return html`<strong>Valor ou código atualizado</strong>`;
  return html`${statusBadge(previousStatus as PaymentStatus)} <span aria-hidden="true">→</span><span class="visually-hidden">para</span> ${statusBadge(status)}`;
}

/** The reason of an event, with the refund's progress after a time-out. */
function why(event: HistoryEntry, { refunds, returned }: Returns): string | null {
  if (event.type !== 'payment.status_changed') return null;
  const reason = reasonOf(event, returned);
  if (event.reason !== 'review_timeout') return reason;
  const progress = returnProgress(refunds.filter((refund) => refund.reason === 'review_timeout'));
  return progress ? `${reason} ${progress}` : reason;
}

function ofChange({ action, at, author, reason: why, requestId }: Change): Entry {
  const what = html`<strong>${actionName(action)}</strong>`;
  return { at, what, who: author ?? actorName('administrator'), why, requestId };
}

function item({ at, what, who, why, requestId }: Entry): SafeHtml {
  const request = requestId ? html` · requisição <span class="mono wrap">${requestId}</span>` : nothing;
  return html`<li>
    <p class="change">${what}</p>
    ${why ? html`<p class="wrap">${why}</p>` : nothing}
    <p class="muted small"><span class="wrap">${who}</span> · ${time(at)}${request}</p>
  </li>`;
}
