import type { Page, Paged } from '@payments/database/filters';
import { listReviews, type WaitingReview } from '@payments/database/payments/reviews';
import {
  listRefundsFound,
  type RefundFilter,
  type RefundOfStore,
  type RefundSums,
  sumRefundsFound,
} from '@payments/database/refunds/list';
import { listStores } from '@payments/database/stores/stores';
import { may } from '@payments/domain/roles';
import { isTestBank } from '@payments/domain/route-charge';
import type { FastifyRequest } from 'fastify';
import { type Actor, authorOf, ownFilter } from '../../access/actor.ts';
import type { AdministrationContext, AdministrationPlugin } from '../../context.ts';
import { duration, html, money, nothing, type SafeHtml, time } from '../../pages/html.ts';
import { everConfigured } from '../banks/actions.ts';
import {
  type Choices,
  commonFields,
  exportLink,
  givenOf,
  type KindInLink,
  kindIn,
  readFilters,
} from '../kit/filters.ts';
import { textOf } from '../kit/form-values.ts';
import { live, liveRegion, sendPage, sendRegions, tabs } from '../kit/layout.ts';
import { alert, notice, orderOf, refundBadge } from '../kit/parts.ts';
import { emptyState, linkTo, numeric, pageOf, pagination, table } from '../kit/tables.ts';
import { refundErrorName, refundReason, reviewReason } from '../payments/names.ts';
import { decisionForms } from '../payments/parts.ts';
import type { Reading } from '../record/actions.ts';
import { sendExport } from '../record/export.ts';
import { readRefundFilter, refundExport, refundsOnRecord } from './actions.ts';
import { outlook, refundStatus } from './parts.ts';

const path = '/panel/refunds';
const filterNames = ['show', 'storeId', 'test', 'bank', 'from', 'to'] as const;
type Filters = Record<(typeof filterNames)[number], string>;

const views = [
  { name: '', label: 'Em aberto', filter: {} },
  { name: 'owed', label: 'Só as devidas', filter: { isOwed: true } },
  { name: 'bank', label: 'Iniciadas no banco', filter: { isOfBank: true } },
  { name: 'made', label: 'Feitas', filter: {} },
] as const;

/** The page of refunds in its views: the open ones, where the owed ones come first, and those that were made. */
export const refundsPage: AdministrationPlugin = async (app, { context }) => {
  const { db } = context;
  app.get('/refunds', { config: { may: 'readPayments', takesKind: true } }, async (request, reply) => {
    const { actor } = request;
    const filters = readFilters(request.query, filterNames);
    const reading = { actor, query: filters, by: authorOf(request) };
    const found = await pageOf(request.query, (page) => find(context, reading, filters, page));
    const choices = {
      stores: await listStores(db, ownFilter(actor, givenOf({ test: filters.test }))),
      banks: await everConfigured(db),
    };
    const isMade = viewOf(filters).name === 'made';
    const isFiltered = Object.keys(givenOf({ ...filters, test: '' })).length > 0;
    const pages = pagination(found, path, filters);
    const content = html`<div class="title"><h1>Devoluções</h1>${exportLink(actor, `${path}.csv`, filters)}</div>
      <p class="muted">${isMade ? 'Devoluções que chegaram a quem pagou.' : 'Devoluções que ainda não chegaram a quem pagou. Se o banco recusou uma devolução, peça de novo na página do pagamento. O CSV traz também as feitas.'}</p>
      ${await waiting(context, ownFilter(actor, givenOf({ test: filters.test })))}${viewTabs(filters)}${filterForm(actor, filters, choices)}
      ${found.sums.total === 0 ? nothing : summary(found.sums)}
      <div class="card flush">${refundTable(found.items, isMade ? 'made' : isFiltered ? 'filtered' : 'open')}</div>${pages}`;
    return sendPage(request, reply, { title: 'Devoluções', section: 'refunds', content: () => content });
  });

  app.get('/refunds.csv', { config: { may: 'exportRows' } }, async (request, reply) => {
    const view = viewOf({ show: textOf(request.query, 'show') });
    const query = { ...(request.query as object), show: view.name };
    const made = view.name === 'made' ? { state: 'refunded' as const } : {};
    const filter = { ...(await readRefundFilter(context, request.actor, query)), ...view.filter, ...made };
    return sendExport(context, reply, refundExport, { name: 'devolucoes', query, filter });
  });
};

/** Reads a page of refunds, and the sum of all pages. */
async function find(
  context: AdministrationContext,
  reading: Reading & { actor: Actor },
  filters: Filters,
  page: Page,
) {
  const chosen = await readRefundFilter(context, reading.actor, givenOf(filters));
  const view = viewOf(filters);
  const isMade = view.name === 'made';
  const filter: RefundFilter = isMade
    ? { ...chosen, state: 'refunded' }
    : { ...chosen, ...view.filter, isNotMade: true, isOpen: true };
  return refundsOnRecord(context, reading, page, async (db) => {
    const found = await listRefundsFound(db, filter, page, { owedFirst: !isMade });
    return { ...found, sums: await sumRefundsFound(db, filter) };
  });
}

/** The refunds that wait for a person, and those tried again by themselves, whatever is filtered. */
async function waiting({ db }: AdministrationContext, own: RefundFilter): Promise<SafeHtml> {
  const sums = await sumRefundsFound(db, { ...own, isWaiting: true });
  const next = sums.nextOrderAt;
  return html`${sums.owedCount > 0 ? owedAlert(sums) : nothing}
    ${next ? html`<p>Próxima tentativa automática: ${time(next)}.</p>` : nothing}`;
}

function owedAlert({ owedCount, owedAmount }: RefundSums): SafeHtml {
  const count =
    owedCount === 1
      ? 'Uma devolução precisa ser pedida'
      : `${owedCount.toLocaleString('pt-BR')} devoluções precisam ser pedidas`;
  return alert('warning', html`<strong>Total devido: ${money(owedAmount)}.</strong> ${count} de novo.`);
}

/** @returns the filter of the chosen view; the first view for an unknown one */
function viewOf({ show }: { show: string }) {
  return views.find(({ name }) => name === show) ?? views[0];
}

/** The views, with the other filters kept. */
function viewTabs(filters: Filters): SafeHtml {
  const links = views.map(({ name, label }) => ({
    href: linkTo(path, { ...filters, show: name }),
    label,
    name,
  }));
  return tabs('Devoluções', links, viewOf(filters).name);
}

function filterForm(actor: Actor, filters: Filters, choices: Choices): SafeHtml {
  const { kind, store, bank, days } = commonFields(actor, filters, choices);
  return html`<form class="filters card" method="get" action="${path}">
    ${kind}<input type="hidden" name="show" value="${viewOf(filters).name}">
    ${store}
    ${bank}
    ${days}
    <button class="button primary">Filtrar</button>
  </form>`;
}

/** The refunds that the filter finds, counted and summed by one statement. */
function summary({ total, amount }: RefundSums): SafeHtml {
  const noun = total === 1 ? 'devolução' : 'devoluções';
  return html`<p>${total.toLocaleString('pt-BR')} ${noun}, no total de <strong>${money(amount)}</strong>.</p>`;
}

const columns = [numeric('Valor'), 'Pedido e cliente', 'Status', 'Motivo', 'Pedida em', 'Resposta do banco'];

const empty = {
  filtered: ['Nada encontrado', 'Nenhuma devolução pendente corresponde a estes filtros.'],
  open: ['Nenhuma devolução pendente', 'Todas as devoluções foram concluídas.'],
  made: ['Nenhuma devolução feita', 'As devoluções feitas aparecem aqui.'],
} as const;

/** @param list what is listed: the open refunds, those of a filter, or those that were made */
function refundTable(refunds: readonly RefundOfStore[], list: keyof typeof empty): SafeHtml {
  if (refunds.length === 0) return emptyState(empty[list][0], empty[list][1]);
  const rows = refunds.map((refund) => [
    html`<a href="${placeOf(refund)}">${money(refund.amount)}</a>`,
    orderOf(refund),
    html`${refundStatus(refund)}${outlook(refund)}`,
    html`<span class="words">${refundReason(refund)}</span>`,
    time(refund.createdAt),
    html`<span class="small words">${refund.lastError === null ? '–' : refundErrorName(refund.lastError)}</span>`,
  ]);
  // The bank has refused none of those that were made.
  const shown = refunds.some(({ lastError }) => lastError !== null) ? columns : columns.slice(0, -1);
  return table('Devoluções', shown, rows);
}

/** The page where a person can order the refund anew. */
function placeOf({ paymentId, bank }: RefundOfStore): string {
  return paymentId === null
    ? linkTo('/panel/unmatched-pix', kindIn(isTestBank(bank)))
    : `/panel/payments/${paymentId}#refunds`;
}

const reviewsPath = '/panel/reviews';
type Waiting = Page & Paged<WaitingReview> & { names: Map<string, string>; actor: Actor; kind: KindInLink };

/** The page of payments in review, with the time left (Contract: review). */
export const reviewPage: AdministrationPlugin = async (app, { context }) => {
  const read = async (request: FastifyRequest): Promise<Waiting> => {
    const { actor } = request;
    const own = ownFilter(actor, request.query);
    const [found, stores] = await Promise.all([
      pageOf(request.query, (page) => listReviews(context.db, own, page)),
      listStores(context.db, own),
    ]);
    const kind = kindIn(own.test);
    return { ...found, actor, kind, names: new Map(stores.map(({ id, name }) => [id, name])) };
  };
  const region = (csrf: string, waiting: Waiting) =>
    liveRegion(
      {
        id: 'reviews',
        content: reviewList(csrf, waiting, context),
        announce: `${waiting.total.toLocaleString('pt-BR')} em análise`,
      },
      csrf,
    );

  app.get('/reviews', { config: { may: 'readPayments', takesKind: true } }, async (request, reply) => {
    const waiting = await read(request);
    return sendPage(request, reply, {
      title: 'Análises',
      section: 'reviews',
      content: (csrf) => html`<h1>Análises</h1>${notice(textOf(request.query, 'done'))}
        ${live(linkTo(`${reviewsPath}/live`, { page: waiting.page, ...waiting.kind }), region(csrf, waiting))}`,
    });
  });

  const updating = { config: { may: 'readPayments' as const, unlogged: true } };
  app.get('/reviews/live', updating, async (request, reply) => {
    const waiting = await read(request);
    return sendRegions(request, reply, (csrf) => [region(csrf, waiting)]);
  });
};

function reviewList(
  csrf: string,
  { items, names, actor, kind, ...pages }: Waiting,
  context: AdministrationContext,
): SafeHtml {
  if (items.length === 0) {
    return emptyState('Nada em análise', 'Pagamentos em análise aparecem aqui, com o prazo.');
  }
  return html`<ul class="reviews">${items.map((review) => reviewItem({ csrf, names, actor }, review, context))}</ul>
    ${pagination(pages, reviewsPath, kind)}`;
}

type View = Pick<Waiting, 'names' | 'actor'> & { csrf: string };

function reviewItem(
  { csrf, names, actor }: View,
  review: WaitingReview,
  context: AdministrationContext,
): SafeHtml {
  const { paid, returned, underWay, reason, refundState } = review;
  const approvable = Math.max(0, paid - returned);
  const amounts = { approvable, refundable: Math.max(0, approvable - underWay) };
  const { reviewTimeoutSeconds, now } = context;
  const deadline = new Date(review.reviewSince.getTime() + reviewTimeoutSeconds * 1_000);
  const left = deadline.getTime() - now().getTime();
  const state = refundState
    ? html`Devolução: ${refundBadge(refundState)}`
    : html`<strong class="${left < 5 * 60_000 ? 'urgent' : ''}">${left > 0 ? `${left < 2 * 60_000 ? 'Resta' : 'Restam'} ${duration(left)}` : 'Prazo esgotado'}</strong>
      <span class="muted small">até ${time(deadline)}</span>`;
  return html`<li class="card review">
    <div class="review-main">
      <p class="review-amount"><a href="/panel/payments/${review.id}">Pix de ${money(paid)}</a></p>
      <p class="muted small">Cobrança de ${money(review.charged)}${actor.storeId === null ? html` · <span class="wrap">${names.get(review.storeId) ?? review.storeId}</span>` : nothing}</p>
      ${review.observation ? html`<p class="small wrap">Pedido: ${review.observation}</p>` : nothing}
      ${review.email ? html`<p class="small wrap">Cliente: ${review.email}</p>` : nothing}
      <p>${reviewReason(reason)}</p>
      ${returned > 0 ? html`<p>Já foram devolvidos ${money(returned)}.</p>` : nothing}
      <p>${state}</p>
    </div>
    ${may(actor.role, 'changeStatus') ? html`<div class="actions">${decisionForms(csrf, review, { ...amounts, back: 'reviews' })}</div>` : nothing}</li>`;
}
