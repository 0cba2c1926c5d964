import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Queryable } from '@payments/database/connection';
import { countByStatus } from '@payments/database/payments/counts';
import { listChanges } from '@payments/database/record/changes';
import { listStores, type Store } from '@payments/database/stores/stores';
import { may } from '@payments/domain/roles';
import { banksOf, testBank } from '@payments/domain/route-charge';
import { type PaymentStatus, paymentStatuses } from '@payments/domain/status';
import type { Actor } from '../../access/actor.ts';
import { authorOf } from '../../access/author.ts';
import { readKind, storeOr404 } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { money, time } from '../../pages/formats.ts';
import { html, nothing, type SafeHtml } from '../../pages/html.ts';
import { kindIn } from '../kit/filters.ts';
import { attempt, type FieldError, typedIn } from '../kit/form-values.ts';
import { checkbox, postForm } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { alert } from '../kit/notices.ts';
import { activeBadge, statusBadge } from '../kit/parts.ts';
import { emptyState, linkTo, numeric, pageIn, pagination, table } from '../kit/tables.ts';
import { storeParams } from '../parameters.ts';
import { latestPayments } from '../payments/actions.ts';
import { paymentTable } from '../payments/parts.ts';
import { changeTable } from '../record/parts.ts';
import { createStore } from './actions.ts';
import { profile, readNewStore, storeFields } from './parts.ts';

const section = 'stores';
const latest = { page: 1, limit: 10 };

/** The list of stores, the creation of one, and a store's profile and record. */
export const storesPage: FastifyPluginAsyncTypebox<{ context: AdministrationContext }> = async (
  app,
  { context },
) => {
  const { db } = context;
  app.get('/stores', { config: { may: 'readStores', takesKind: true } }, async (request, reply) => {
    const { storeId, role } = request.actor;
    if (storeId !== null) return reply.redirect(`/panel/stores/${storeId}`, 303);
    const stores = await listStores(db, readKind(request.actor, request.query));
    const content = list(stores, may(role, 'changeStores') ? create : nothing);
    return sendPage(request, reply, { title: 'Lojas', section, content: () => content });
  });

  const creating = { config: { may: 'changeStores' as const } };
  const bankIds = () => banksOf({ test: false, banks: null }, context.banks.all()).map(({ id }) => id);
  const hasTestBank = () => context.banks.find(testBank) !== undefined;
  const showForm = (values: Record<string, string>, wrong?: FieldError) =>
    ({
      title: 'Criar loja',
      section,
      content: (csrf: string) =>
        newStore(csrf, { values, banks: bankIds(), hasTestBank: hasTestBank(), wrong }),
    }) as const;

  app.get('/stores/new', creating, async (request, reply) => sendPage(request, reply, showForm({})));

  app.post('/stores', creating, async (request, reply) => {
    const { result, wrong } = await attempt(() =>
      createStore(context, readNewStore(request.body), authorOf(request)),
    );
    if (wrong) return sendPage(request, reply.code(400), showForm(typedIn(request.body), wrong));
    return reply.redirect(`/panel/stores/${result.id}/store?done=store-created`, 303);
  });

  const one = { params: storeParams };
  app.get('/stores/:id', { schema: one, config: { may: 'readStores' } }, async (request, reply) => {
    const { actor } = request;
    const store = await storeOr404(context, actor, request.params.id);
    const content = await summary(context, actor, store);
    return sendPage(request, reply, {
      title: store.name,
      section,
      content: () => profile(store, { actor, current: 'summary' }, content),
    });
  });

  const recorded = { schema: one, config: { may: 'readStoreRecord' as const } };
  app.get('/stores/:id/changes', recorded, async (request, reply) => {
    const { actor } = request;
    const store = await storeOr404(context, actor, request.params.id);
    const page = pageIn(request.query);
    const { items, total } = await listChanges(db, { storeId: store.id }, page);
    const path = `/panel/stores/${store.id}/changes`;
    const content = html`<div class="card flush">${changeTable(items)}</div>
      ${pagination({ ...page, total }, path)}`;
    return sendPage(request, reply, {
      title: `${store.name}: auditoria`,
      section,
      content: () => profile(store, { actor, current: 'changes' }, content),
    });
  });
};

const create = html`<a class="button primary" href="/panel/stores/new">Criar loja</a>`;

function list(stores: readonly Store[], action: SafeHtml): SafeHtml {
  const columns = ['Loja', 'Status', numeric('Valor máximo'), 'Criada em'];
  const rows = stores.map((store) => [
    html`<a class="words" href="/panel/stores/${store.id}">${store.name}</a>`,
    activeBadge(store.active),
    money(store.maxAmount),
    time(store.createdAt),
  ]);
  return html`<div class="title"><h1>Lojas</h1>${action}</div>
    ${
      stores.length === 0
        ? emptyState(
            'Nenhuma loja ainda',
            'Crie a primeira para gerar o seu token e receber por Pix.',
            action,
          )
        : html`<div class="card flush">${table('Lojas', columns, rows)}</div>`
    }`;
}

type Form = {
  values: Record<string, string>;
  banks: readonly string[];
  hasTestBank: boolean;
  wrong: FieldError | undefined;
};

function newStore(csrf: string, { values, banks, hasTestBank, wrong }: Form): SafeHtml {
  return html`<p class="back"><a href="/panel/stores">Lojas</a></p>
    <h1>Criar loja</h1>
    <div class="card narrow">
      ${wrong ? alert('error', 'A loja não foi criada. Corrija o campo indicado.') : ''}
      ${postForm(
        { csrf, action: '/panel/stores' },
        html`${storeFields(values, banks, wrong)}${hasTestBank ? testChoice(values) : nothing}
          <div class="actions"><button class="button primary">Criar loja</button>
          <a class="button quiet" href="/panel/stores">Cancelar</a></div>`,
      )}
    </div>`;
}

const testChoice = ({ test }: Record<string, string>) =>
  checkbox({
    name: 'test',
    label: 'Loja de testes',
    value: test,
    hint: 'Para sempre: só o banco simulado recebe as suas cobranças, e o seu dinheiro não entra em nenhuma soma.',
  });

/** A store's payments by status, the latest ones, and its latest changes. */
async function summary({ db }: AdministrationContext, { role }: Actor, store: Store): Promise<SafeHtml> {
  const storeId = store.id;
  const counts = await countByStatus(db, { storeId });
  const payments = await latestPayments(db, { storeId });
  const figures = paymentStatuses
    .map((status) => ({ status, total: counts[status] ?? 0 }))
    .filter(({ total, status }) => total > 0 || status === 'pending' || status === 'approved')
    .map(({ status, total }) => figure(store, status, total));
  return html`<div class="figures compact">${figures}</div>
      <section class="card flush"><h2>Últimos pagamentos</h2>${paymentTable(payments)}</section>
      ${may(role, 'readStoreRecord') ? await latestChanges(db, storeId) : nothing}`;
}

function figure({ id: storeId, test }: Store, status: PaymentStatus, total: number): SafeHtml {
  return html`<a class="figure" href="${linkTo('/panel/payments', { storeId, status, ...kindIn(test) })}">
          ${statusBadge(status)}<strong>${total.toLocaleString('pt-BR')}</strong></a>`;
}

async function latestChanges(db: Queryable, storeId: string): Promise<SafeHtml> {
  const { items } = await listChanges(db, { storeId }, latest);
  return html`<section class="card flush"><h2>Auditoria</h2>${changeTable(items)}</section>`;
}
