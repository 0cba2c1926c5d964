import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { readPaymentsAfter } from '@payments/database/payments/search';
import { type PaidPayment, withPayingPix } from '@payments/database/payments/with-pix';
import { listStores, type Store } from '@payments/database/stores/stores';
import { sumCreated } from '@payments/database/totals/totals';
import { paymentStatuses } from '@payments/domain/status';
import type { Actor } from '../../access/actor.ts';
import { authorOf } from '../../access/author.ts';
import { isExportOfTests, ownFilter } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { sendCsv } from '../../http/csv.ts';
import { money } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import {
  bankSelect,
  dayFields,
  exportLink,
  givenOf,
  kindField,
  readFilters,
  storeSelect,
} from '../kit/filters.ts';
import { select, textField } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { statusNames } from '../kit/parts.ts';
import { emptyState, pageIn, pagination } from '../kit/tables.ts';
import { recordExport, recordSearch } from '../record/actions.ts';
import { findOnRecord, paymentCsv, readPaymentSearch } from './actions.ts';
import { paymentTable } from './parts.ts';

const path = '/panel/payments';
const names = ['q', 'storeId', 'test', 'status', 'bank', 'from', 'to'] as const;
type Filters = Record<(typeof names)[number], string>;

/** The page of payments, with filters, and its CSV. A search for an id redirects to its payment. */
export const paymentsPage: FastifyPluginAsyncTypebox<{ context: AdministrationContext }> = async (
  app,
  { context },
) => {
  app.get('/payments', { config: { may: 'readPayments', takesKind: true } }, async (request, reply) => {
    const { actor } = request;
    const filters = readFilters(request.query, names);
    const search = readPaymentSearch(context, actor, givenOf(filters));
    const page = pageIn(request.query);
    const reading = { actor, query: filters, by: authorOf(request) };
    const [found, stores] = await Promise.all([
      findOnRecord(context, reading, search, page),
      listStores(context.db, ownFilter(actor, givenOf({ test: filters.test }))),
    ]);
    const [only] = found.items;
    if (filters.q && only && found.total === 1) return reply.redirect(`${path}/${only.id}`, 303);
    const nameOf = new Map(stores.map(({ id, name }) => [id, name]));
    const isFiltered = names.some((name) => name !== 'test' && filters[name] !== '');
    const list =
      found.items.length === 0 && isFiltered
        ? emptyState(
            'Nada encontrado',
            'Nenhum pagamento corresponde a estes filtros.',
            html`<a class="button" href="${path}">Limpar filtros</a>`,
          )
        : paymentTable(
            await withPayingPix(context.db, found.items),
            actor.storeId === null ? nameOf : undefined,
          );
    const pages = pagination({ ...page, total: found.total }, path, filters);
    const sum = async () =>
      search.q === undefined
        ? (await context.longReads.read(actor, (one) => sumCreated(one, search))).amount
        : found.amount;
    const content = html`<div class="title"><h1>Pagamentos</h1>${exportLink(actor, `${path}.csv`, filters)}</div>
      ${filterForm(actor, filters, { stores, context })}${isFiltered ? summary(found.total, await sum()) : nothing}
      <div class="card flush">${list}</div>${pages}`;
    return sendPage(request, reply, { title: 'Pagamentos', section: 'payments', content: () => content });
  });

  app.get('/payments.csv', { config: { may: 'exportRows' } }, async (request, reply) => {
    const { actor } = request;
    const query = request.query as Record<string, unknown>;
    const search = readPaymentSearch(context, actor, query);
    const rows = context.longReads.ofExport<PaidPayment>(reply, (db, after) =>
      readPaymentsAfter(db, search, { after, limit: 1_000 }),
    );
    const reading = { actor, query, by: authorOf(request) };
    await recordSearch(context, reading);
    await recordExport(context, reading, { kind: 'payments' });
    const isTest = await isExportOfTests(context.db, actor, search);
    return sendCsv(reply, { name: 'pagamentos', columns: paymentCsv, isTest }, rows);
  });
};

function summary(total: number, sum: number | null): SafeHtml {
  if (sum === null)
    return html`<p class="muted">Mais de 10.000 pagamentos com este texto: a soma não é feita.</p>`;
  return html`<p>${total.toLocaleString('pt-BR')} ${total === 1 ? 'pagamento' : 'pagamentos'}, no total de <strong>${money(sum)}</strong>.</p>`;
}

type Choices = { stores: readonly Store[]; context: AdministrationContext };

function filterForm(actor: Actor, filters: Filters, { stores, context: { banks } }: Choices): SafeHtml {
  const anyStatus = { value: '', label: 'Todos os status' };
  return html`<form class="filters card" method="get" action="${path}" role="search">
    ${kindField(filters.test)}${textField({ name: 'q', label: 'Buscar', type: 'search', value: filters.q, filter: true, hint: 'Pedido, e-mail (uma parte basta), referência, identificador, txid ou endToEndId.' })}
    ${storeSelect(filters.storeId, stores, actor)}
    ${select({ name: 'status', label: 'Status', value: filters.status }, [anyStatus, ...paymentStatuses.map((status) => ({ value: status, label: statusNames[status][1] }))])}
    ${bankSelect(filters.bank, banks, actor)}
    ${dayFields(filters)}
    <button class="button primary">Filtrar</button>
  </form>`;
}
