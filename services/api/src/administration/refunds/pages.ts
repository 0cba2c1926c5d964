import type { Page } from '@payments/database/filters';
import {
  listRefundsFound,
  type RefundFilter,
  type RefundOfStore,
  type RefundSums,
  readRefundsAfter,
  sumRefundsFound,
} from '@payments/database/refunds/list';
import { listStores } from '@payments/database/stores/stores';
import type { FastifyInstance } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import { storeFilter } from '../../access/own.ts';
import { authorOf } from '../../access/page-author.ts';
import type { AdministrationContext } from '../../context.ts';
import { sendCsv } from '../../http/send-csv.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { money } from '../../pages/money.ts';
import { time } from '../../pages/time.ts';
import { alert } from '../kit/alert.ts';
import { exportLink } from '../kit/export-link.ts';
import { givenOf, readFilters } from '../kit/filters.ts';
import { textOf } from '../kit/form-values.ts';
import { pageIn, pagination } from '../kit/pagination.ts';
import { sendPage } from '../kit/send-page.ts';
import { recordExport } from '../record/record-reading.ts';
import { type Filters, filterForm, filterNames, path, summary, viewOf, viewTabs } from './filters.ts';
import { refundCsv } from './refund-csv.ts';
import { readRefundFilter } from './refund-filter.ts';
import { refundTable } from './refund-table.ts';

type Query = { Querystring: Record<string, unknown> };

/** The page of unfinished and failed refunds, those that wait for a person first. */
export function refundPages(app: FastifyInstance, context: AdministrationContext): void {
  const { db } = context;
  app.get<Query>('/refunds', { config: { may: 'readPayments' } }, async (request, reply) => {
    const { actor } = request;
    const page = pageIn(request.query);
    const filters = readFilters(request.query, filterNames);
    const found = await find(context, actor, filters, page);
    const choices = { stores: await listStores(db, actor.storeId), banks: context.banks };
    const isMade = viewOf(filters).name === 'made';
    const isFiltered = Object.keys(givenOf(filters)).length > 0;
    const pages = pagination({ ...page, total: found.total }, path, filters);
    const content = html`<div class="title"><h1>Devoluções</h1>${exportLink(actor, `${path}.csv`, filters)}</div>
      <p class="muted">${isMade ? 'Devoluções que chegaram a quem pagou.' : 'Devoluções que ainda não chegaram a quem pagou. Se o banco recusou uma devolução, peça de novo na página do pagamento. O CSV traz também as feitas.'}</p>
      ${await waiting(context, actor)}${viewTabs(filters)}${filterForm(actor, filters, choices)}
      ${found.total === 0 ? nothing : summary(found.total, found.sum)}
      <div class="card flush">${refundTable(found.items, isMade ? 'made' : isFiltered ? 'filtered' : 'open')}</div>${pages}`;
    return sendPage(request, reply, { title: 'Devoluções', section: 'refunds', content: () => content });
  });

  app.get<Query>('/refunds.csv', { config: { may: 'exportRows' } }, async (request, reply) => {
    const { actor } = request;
    const view = viewOf({ show: textOf(request.query, 'show') });
    const query = { ...request.query, show: view.name };
    const made = view.name === 'made' ? { state: 'refunded' as const } : {};
    const search = { ...readRefundFilter(context, actor, query), ...view.filter, ...made };
    const rows = context.longReads.ofExport<RefundOfStore>(reply, (db, after) =>
      readRefundsAfter(db, search, { after, limit: 1_000 }),
    );
    await recordExport(context, { actor, query, by: authorOf(request) }, { kind: 'refunds' });
    const file = { name: 'devolucoes', columns: refundCsv };
    return sendCsv(reply, file, rows);
  });
}

/** Reads a page of refunds, and the sum of all pages. */
async function find(context: AdministrationContext, actor: Actor, filters: Filters, page: Page) {
  const { db } = context;
  const chosen = readRefundFilter(context, actor, givenOf(filters));
  const view = viewOf(filters);
  const isMade = view.name === 'made';
  const filter: RefundFilter = isMade
    ? { ...chosen, state: 'refunded' }
    : { ...chosen, ...view.filter, isNotMade: true, isOpen: true };
  const [found, { amount: sum }] = await Promise.all([
    listRefundsFound(db, filter, page, { owedFirst: !isMade }),
    sumRefundsFound(db, filter),
  ]);
  return { ...found, sum };
}

/** What waits for a person and what is tried again by itself, whatever is filtered. */
async function waiting({ db }: AdministrationContext, actor: Actor): Promise<SafeHtml> {
  const sums = await sumRefundsFound(db, { ...storeFilter(actor), isWaiting: true });
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
