import { type Delivery, listDeliveries, readDeliveriesAfter } from '@payments/database/deliveries/list';
import { findPayments, type StoredPayment } from '@payments/database/payments/payments';
import { listStores, type Store } from '@payments/database/stores/stores';
import { may } from '@payments/domain/roles';
import type { FastifyInstance } from 'fastify';
import type { Actor } from '../../access/actor.ts';
import { authorOf } from '../../access/author.ts';
import type { AdministrationContext } from '../../context.ts';
import { sendCsv } from '../../http/send-csv.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { money } from '../../pages/money.ts';
import { time } from '../../pages/time.ts';
import { deliveryBadge, deliveryNames } from '../kit/badge.ts';
import { exportLink } from '../kit/export-link.ts';
import { select } from '../kit/fields.ts';
import { dayFields, givenOf, readFilters, storeSelect } from '../kit/filters.ts';
import { notice } from '../kit/notices.ts';
import { orderOf } from '../kit/order.ts';
import { pageIn, pagination } from '../kit/pagination.ts';
import { sendPage } from '../kit/send-page.ts';
import { emptyState, numeric, table } from '../kit/table.ts';
import { recordExport } from '../record/record-reading.ts';
import { deliveryCsv } from './delivery-csv.ts';
import { deliveryTabs } from './delivery-tabs.ts';
import { readDeliveryFilter } from './filter.ts';
import { redriveForm, redriven } from './redrive-form.ts';
import { webhookError } from './webhook-error.ts';

const path = '/panel/deliveries';
const names = ['storeId', 'state', 'from', 'to'] as const;
type Query = { Querystring: Record<string, unknown> };
type Filters = Record<(typeof names)[number], string>;

/** The page of deliveries by state and store, newest first. */
export function deliveryListPage(app: FastifyInstance, { db }: AdministrationContext): void {
  app.get<Query>('/deliveries', { config: { may: 'readPayments' } }, async (request, reply) => {
    const { actor } = request;
    const filters = readFilters(request.query, names);
    const page = pageIn(request.query);
    const [{ items, total }, stores] = await Promise.all([
      listDeliveries(db, readDeliveryFilter(actor, givenOf(filters)), page),
      listStores(db, actor.storeId),
    ]);
    const ids = items.map(({ paymentId }) => paymentId);
    const payments = new Map((await findPayments(db, ids)).map((payment) => [payment.id, payment]));
    const nameOf = new Map(stores.map(({ id, name }) => [id, name]));
    const pages = pagination({ ...page, total }, path, filters);
    return sendPage(request, reply, {
      title: 'Entregas',
      section: 'deliveries',
      content: (
        csrf,
      ) => html`<div class="title"><h1>Entregas</h1>${exportLink(actor, `${path}.csv`, filters)}</div>${deliveryTabs('ledger')}
        ${notice(request.query.done)}${redriven(request.query.count)}
        ${filterForm(actor, filters, stores)}
        ${mayRedrive(actor, filters) && total > 0 ? redriveForm(csrf, actor.storeId ?? filters.storeId, total) : nothing}
        <div class="card flush">${list(items, actor.storeId === null ? nameOf : undefined, payments)}</div>${pages}`,
    });
  });
}

/** A redelivery has no last day, so a list with days would show another number than it sends. */
function mayRedrive({ role }: Actor, { state, from, to }: Filters): boolean {
  return may(role, 'redeliver') && state === 'dead' && from === '' && to === '';
}

/** The same list as CSV, for a person who is signed in. */
export function deliveryExport(app: FastifyInstance, context: AdministrationContext): void {
  app.get<Query>('/deliveries.csv', { config: { may: 'exportRows' } }, async (request, reply) => {
    const { actor, query } = request;
    const filter = readDeliveryFilter(actor, query);
    const rows = context.longReads.ofExport<Delivery>(reply, (db, after) =>
      readDeliveriesAfter(db, filter, { after, limit: 1_000 }),
    );
    await recordExport(context, { actor, query, by: authorOf(request) }, { kind: 'deliveries' });
    const file = { name: 'entregas', columns: deliveryCsv };
    return sendCsv(reply, file, rows);
  });
}

function list(
  items: readonly Delivery[],
  nameOf: ReadonlyMap<string, string> | undefined,
  payments: ReadonlyMap<string, StoredPayment>,
): SafeHtml {
  if (items.length === 0)
    return emptyState('Nenhuma entrega', 'Nenhuma entrega corresponde a estes filtros.');
  const columns = [
    'Evento',
    'Pedido e cliente',
    numeric('Valor'),
    'Status',
    numeric('Tentativas'),
    ...(nameOf ? ['Loja'] : []),
    'Destino',
    'Criada em',
  ];
  const rows = items.map((one) => [
    html`<a href="/panel/payments/${one.paymentId}#deliveries">${one.event === 'payment.created' ? 'Criação' : 'Mudança de status'}</a>`,
    orderOf(payments.get(one.paymentId)),
    money(payments.get(one.paymentId)?.amount ?? null),
    html`${deliveryBadge(one.state)}${one.state !== 'delivered' && one.lastError ? html`<span class="small muted wrap block">${webhookError(one.lastError)}</span>` : nothing}`,
    html`${one.attempts}`,
    ...(nameOf
      ? [html`<a href="/panel/stores/${one.storeId}">${nameOf.get(one.storeId) ?? one.storeId}</a>`]
      : []),
    html`<span class="small wrap">${one.url}</span>`,
    time(one.createdAt),
  ]);
  return table('Entregas', columns, rows);
}

function filterForm(actor: Actor, filters: Filters, stores: readonly Store[]): SafeHtml {
  const states = Object.entries(deliveryNames).map(([value, [, label]]) => ({ value, label }));
  return html`<form class="filters card" method="get" action="${path}">
    ${select({ name: 'state', label: 'Status', value: filters.state }, [{ value: '', label: 'Todas' }, ...states])}
    ${storeSelect(filters.storeId, stores, actor)}
    ${dayFields(filters)}
    <button class="button primary">Filtrar</button>
  </form>`;
}
