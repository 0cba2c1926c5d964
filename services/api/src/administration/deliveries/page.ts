import { type FailingEndpoint, listFailingEndpoints } from '@payments/database/deliveries/endpoints';
import type { Delivery } from '@payments/database/deliveries/list';
import { findPayments, type StoredPayment } from '@payments/database/payments/payments';
import { listStores } from '@payments/database/stores/stores';
import { may } from '@payments/domain/roles';
import { type Actor, authorOf, ownFilter, readKind } from '../../access/actor.ts';
import type { AdministrationPlugin } from '../../context.ts';
import { ApiError } from '../../http/errors/api-error.ts';
import { readId } from '../../http/readers.ts';
import { html, money, nothing, type SafeHtml, time } from '../../pages/html.ts';
import {
  type Choices,
  commonFields,
  exportLink,
  givenOf,
  type KindInLink,
  kindIn,
  readFilters,
} from '../kit/filters.ts';
import { dateTimeOf, textOf } from '../kit/form-values.ts';
import { confirmation, momentField, postForm, select } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { alert, deliveryBadge, deliveryNames, notice, orderOf, phaseBadge } from '../kit/parts.ts';
import { emptyState, linkTo, numeric, pageOf, pagination, table } from '../kit/tables.ts';
import { sendExport } from '../record/export.ts';
import { endpointParams } from '../shapes.ts';
import { deliveryExport, findDeliveries, readDeliveryFilter, release, sendManyAgain } from './actions.ts';
import { deliveryErrorName, deliveryTabs, eventNames } from './parts.ts';

const path = '/panel/deliveries';
const names = ['storeId', 'test', 'state', 'from', 'to'] as const;
type Filters = Record<(typeof names)[number], string>;

/** The page of deliveries by state and store, newest first; its CSV; and the button that sends failed ones again. */
export const deliveriesPage: AdministrationPlugin = async (app, { context }) => {
  const { db } = context;
  app.get('/deliveries', { config: { may: 'readPayments', takesKind: true } }, async (request, reply) => {
    const { actor, query } = request;
    const filters = readFilters(query, names);
    const filter = readDeliveryFilter(actor, givenOf(filters));
    const reading = { actor, query: filters, by: authorOf(request) };
    const [{ items, ...pages }, stores] = await Promise.all([
      pageOf(query, (page) => findDeliveries(context, reading, filter, page)),
      listStores(db, ownFilter(actor, givenOf({ test: filters.test }))),
    ]);
    const ids = items.map(({ paymentId }) => paymentId);
    const payments = new Map((await findPayments(db, ids)).map((payment) => [payment.id, payment]));
    const nameOf = new Map(stores.map(({ id, name }) => [id, name]));
    return sendPage(request, reply, {
      title: 'Entregas',
      section: 'deliveries',
      content: (
        csrf,
      ) => html`<div class="title"><h1>Entregas</h1>${exportLink(actor, `${path}.csv`, filters)}</div>${deliveryTabs('ledger', kindIn(filters.test === 'true'))}
        ${notice(textOf(query, 'done'))}${redriven(textOf(query, 'count'))}
        ${filterForm(actor, filters, { stores })}
        ${mayRedrive(actor, filters) && pages.total > 0 ? redriveForm(csrf, { ...filters, storeId: actor.storeId ?? filters.storeId }, pages.total) : nothing}
        <div class="card flush">${list(items, actor.storeId === null ? nameOf : undefined, payments)}</div>${pagination(pages, path, filters)}`,
    });
  });

  app.get('/deliveries.csv', { config: { may: 'exportRows' } }, async (request, reply) => {
    const query = request.query as Record<string, unknown>;
    const filter = readDeliveryFilter(request.actor, query);
    return sendExport(context, reply, deliveryExport, { name: 'entregas', query, filter });
  });

  app.post('/deliveries/redeliver', { config: { may: 'redeliver' } }, async (request, reply) => {
    const { actor, body } = request;
    const storeId = textOf(body, 'storeId');
    const redrive = {
      actor,
      state: 'dead' as const,
      since: dateTimeOf(body, 'since') ?? undefined,
      storeId: storeId ? readId('storeId', storeId) : undefined,
    };
    const count = await sendManyAgain(context, redrive, authorOf(request));
    return reply.redirect(
      linkTo(path, { storeId, ...kindIn(readKind(actor, request.query).test), count }),
      303,
    );
  });
};

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
    html`<a href="/panel/payments/${one.paymentId}#deliveries">${eventNames[one.event]}</a>`,
    orderOf(payments.get(one.paymentId)),
    money(payments.get(one.paymentId)?.amount ?? null),
    html`${deliveryBadge(one.state)}${one.state !== 'delivered' && one.lastError ? html`<span class="small muted wrap block">${deliveryErrorName(one.lastError)}</span>` : nothing}`,
    html`${one.attempts.toLocaleString('pt-BR')}`,
    ...(nameOf
      ? [
          html`<a class="words" href="/panel/stores/${one.storeId}">${nameOf.get(one.storeId) ?? one.storeId}</a>`,
        ]
      : []),
    html`<span class="small wrap">${one.url}</span>`,
    time(one.createdAt),
  ]);
  return table('Entregas', columns, rows);
}

function filterForm(actor: Actor, filters: Filters, choices: Choices): SafeHtml {
  const { kind, store, days } = commonFields(actor, filters, choices);
  const states = Object.entries(deliveryNames).map(([value, [, label]]) => ({ value, label }));
  return html`<form class="filters card" method="get" action="${path}">
    ${kind}${select({ name: 'state', label: 'Status', value: filters.state }, [{ value: '', label: 'Todas' }, ...states])}
    ${store}
    ${days}
    <button class="button primary">Filtrar</button>
  </form>`;
}

/** A redelivery has no last day, so a list with days would show another number than it sends. */
function mayRedrive({ role }: Actor, { storeId, test, state, from, to }: Filters): boolean {
  // Test stores, one at a time: sending again for all stores leaves theirs out.
  const isAllShown = test === '' || storeId !== '';
  return may(role, 'redeliver') && isAllShown && state === 'dead' && from === '' && to === '';
}

/** A form that sends all failed deliveries of the chosen store again. */
function redriveForm(csrf: string, { storeId, test }: Filters, total: number): SafeHtml {
  const fields = html`<input type="hidden" name="storeId" value="${storeId}">
    ${momentField({ name: 'since', label: 'Criadas desde', hint: 'Horário de Brasília. Em branco: todas.' })}`;
  return html`<div class="bar">${confirmation(
    {
      csrf,
      action: linkTo(`${path}/redeliver`, { test }),
      id: 'redrive',
      label: 'Enviar todas de novo',
      warning: `${redrivenWords(total)}, ${storeId ? 'desta loja' : 'de todas as lojas'}, aos poucos. Isto não pode ser desfeito.`,
      confirm: 'Enviar de novo',
      danger: false,
    },
    fields,
  )}</div>`;
}

const redrivenWords = (total: number) =>
  total === 1
    ? 'A entrega que falhou será enviada de novo'
    : `Até ${total.toLocaleString('pt-BR')} entregas que falharam serão enviadas de novo`;

/** @param count number of rescheduled deliveries, from the redirect's query */
function redriven(count: string): SafeHtml {
  if (!/^\d{1,6}$/.test(count)) return nothing;
  const number = Number(count).toLocaleString('pt-BR');
  const text =
    count === '1' ? 'Uma entrega será enviada de novo.' : `${number} entregas serão enviadas de novo.`;
  return alert('done', text);
}

const shownAtMost = 200;
const endpointsPath = '/panel/deliveries/endpoints';

/** The page of failing receivers, longest failing first, and the release of one. */
export const endpointsPage: AdministrationPlugin = async (app, { context }) => {
  const { db } = context;
  const reading = { config: { may: 'readEndpoints' as const, takesKind: true } };
  app.get('/deliveries/endpoints', reading, async (request, reply) => {
    const { actor } = request;
    const own = ownFilter(actor, request.query);
    const [endpoints, stores] = await Promise.all([
      listFailingEndpoints(db, shownAtMost, own),
      listStores(db, own),
    ]);
    const nameOf = new Map(stores.map(({ id, name }) => [id, name]));
    return sendPage(request, reply, {
      title: 'Destinos com falhas',
      section: 'deliveries',
      content: (
        csrf,
      ) => html`<h1>Entregas</h1>${deliveryTabs('endpoints', kindIn(own.test))}${notice(textOf(request.query, 'done'))}
        <p class="muted">Depois de dez falhas seguidas, o destino fica em pausa. Durante a pausa, só uma entrega por vez testa se ele voltou a responder.</p>
        <div class="card flush">${endpointTable({ csrf, actor, nameOf, kind: kindIn(own.test) }, endpoints)}</div>`,
    });
  });

  const releasing = { schema: { params: endpointParams }, config: { may: 'releaseEndpoint' as const } };
  app.post('/deliveries/endpoints/:id/release', releasing, async (request, reply) => {
    try {
      await release(context, request.params.id, authorOf(request));
    } catch (error) {
      // It was released already, or has recovered: nothing holds its deliveries any more.
      if (!(error instanceof ApiError && error.kind === 'endpointNotFound')) throw error;
    }
    const kind = kindIn(readKind(request.actor, request.query).test);
    return reply.redirect(linkTo(endpointsPath, { ...kind, done: 'endpoint-released' }), 303);
  });
};

type View = {
  csrf: string;
  actor: Actor;
  nameOf: ReadonlyMap<string, string>;
  kind: KindInLink;
};

function endpointTable({ csrf, actor, nameOf, kind }: View, endpoints: readonly FailingEndpoint[]): SafeHtml {
  if (endpoints.length === 0)
    return emptyState('Nenhum destino falhando', 'Todos os destinos estão respondendo.');
  const [isPlatform, mayRelease] = [actor.storeId === null, may(actor.role, 'releaseEndpoint')];
  const columns = [
    'Destino',
    ...(isPlatform ? ['Loja'] : []),
    'Status',
    numeric('Falhas seguidas'),
    'Falha desde',
    'Próximo teste',
    ...(mayRelease ? ['Ação'] : []),
  ];
  const rows = endpoints.map((one) => [
    html`<span class="wrap">${one.url}</span>`,
    ...(isPlatform
      ? [
          html`<a class="words" href="/panel/stores/${one.storeId}">${nameOf.get(one.storeId) ?? one.storeId}</a>`,
        ]
      : []),
    html`${phaseBadge(one.phase)}<span class="small muted wrap block">${one.lastError === null ? nothing : deliveryErrorName(one.lastError)}</span>`,
    html`${one.failures.toLocaleString('pt-BR')}`,
    time(one.failingSince),
    time(one.openUntil),
    ...(mayRelease ? [releaseForm(csrf, one, kind)] : []),
  ]);
  return table('Destinos com falhas', columns, rows);
}

function releaseForm(csrf: string, { id }: FailingEndpoint, kind: KindInLink): SafeHtml {
  return postForm(
    { csrf, action: linkTo(`${endpointsPath}/${id}/release`, kind) },
    html`<button class="button small">Liberar</button>`,
  );
}
