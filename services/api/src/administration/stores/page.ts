import type { Page } from '@payments/database/filters';
import { countPayments } from '@payments/database/payments/counts';
import { listChanges } from '@payments/database/record/changes';
import { listStores, type Store } from '@payments/database/stores/stores';
import { listTokens } from '@payments/database/stores/tokens';
import type { WebhookSecrets } from '@payments/database/stores/webhook-secrets';
import { may } from '@payments/domain/roles';
import { banksOf, testBank } from '@payments/domain/route-charge';
import { createSender } from '@payments/webhooks/sender';
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorOf, readKind, storeOr404 } from '../../access/actor.ts';
import type { AdministrationContext, AdministrationPlugin } from '../../context.ts';
import { atMostEach, boundBy } from '../../http/bounds.ts';
import { html, money, nothing, type SafeHtml, time } from '../../pages/html.ts';
import { readWebhookUrl } from '../../public/payments/new-payment.ts';
import { attempt, dateTimeOf, type FieldError, textOf, touchedIn, typedIn } from '../kit/form-values.ts';
import { checkbox, postForm } from '../kit/forms.ts';
import { sendPage } from '../kit/layout.ts';
import { activeBadge, alert, notice } from '../kit/parts.ts';
import { emptyState, numeric, pageOf, pagination, table } from '../kit/tables.ts';
import { changeTable } from '../record/page.ts';
import { storeParams } from '../shapes.ts';
import {
  changeStore,
  createStore,
  endToken,
  type IssuedToken,
  issueToken,
  lastRotation,
  readStoreFields,
  renewSecret,
  sendTestEvent,
  showSecrets,
} from './actions.ts';
import {
  formOf,
  profile,
  readChoices,
  readNewStore,
  readStoreChange,
  stateIn,
  storeFields,
  typedChoices,
} from './parts.ts';
import { type OutdatedForm, storeTab, type TestOutcome } from './sections.ts';
import { summary } from './summary.ts';

const section = 'stores';

/** The list of stores, the creation of one, and a store's profile and record. */
export const storesPage: AdministrationPlugin = async (app, { context }) => {
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
    const filter = { storeId: store.id };
    const read = (page: Page) => context.longReads.list(actor, () => listChanges(db, filter, page));
    const { items, ...pages } = await pageOf(request.query, read);
    const path = `/panel/stores/${store.id}/changes`;
    const content = html`<div class="card flush">${changeTable(items)}</div>
      ${pagination(pages, path)}`;
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

const schema = { params: storeParams };
const ofToken = {
  params: Type.Object({ id: Type.String(), tokenId: Type.String() }),
};

/** A store's own tab and its forms. Some render the tab again: with an error, a new token, or the secret. */
export const storePage: AdministrationPlugin = async (app, { context }) => {
  const tab = (id: string, done: string) => `/panel/stores/${id}/store?done=${done}`;
  const show = (request: TabRequest, reply: FastifyReply, shown?: Shown) =>
    showStoreTab(context, request, reply, shown);

  app.get('/stores/:id/store', { schema, config: { may: 'readStores' } }, async (request, reply) =>
    show(request, reply),
  );

  const changing = { schema, config: { may: 'changeStores' as const } };
  app.post('/stores/:id', changing, async (request, reply) => {
    const { body } = request;
    const store = await storeOr404(context, request.actor, request.params.id);
    const changeOf = (now: Store) => readStoreFields(readStoreChange(body, now), context.banks);
    const { wrong } = await attempt(() => changeStore(context, store.id, changeOf, authorOf(request)));
    if (wrong?.field === 'shown') return show(request, reply.code(409), { outdated: 'settings' });
    if (wrong) return show(request, reply.code(400), { values: touchedIn(body, formOf(store)), wrong });
    return reply.redirect(tab(store.id, 'store-saved'), 303);
  });

  app.post('/stores/:id/active', changing, async (request, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    const active = textOf(request.body, 'active') === 'true';
    await changeStore(context, id, () => ({ active }), authorOf(request));
    return reply.redirect(tab(id, active ? 'store-activated' : 'store-deactivated'), 303);
  });

  const choosing = { may: 'chooseForStore' as const, proof: { to: 'mudar o que o token pode' } };
  app.post('/stores/:id/choices', { schema, config: choosing }, async (request, reply) => {
    const { body } = request;
    const store = await storeOr404(context, request.actor, request.params.id);
    const changeOf = (now: Store) => readStoreFields(readChoices(body, now), context.banks);
    const { wrong } = await attempt(() => changeStore(context, store.id, changeOf, authorOf(request)));
    if (wrong?.field === 'shown') return show(request, reply.code(409), { outdated: 'choices' });
    if (wrong) {
      const values = typedChoices(touchedIn(body, formOf(store)));
      return show(request, reply.code(400), { values, wrong });
    }
    return reply.redirect(`${tab(store.id, 'store-saved')}#choices`, 303);
  });

  const creating = { may: 'manageTokens' as const, proof: { to: 'gerar o token' } };
  app.post('/stores/:id/tokens', { schema, config: creating }, async (request, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    const seen = stateIn(request.body, 'newestToken');
    const { result: issued, wrong } = await attempt(() => {
      const expiresAt = dateTimeOf(request.body, 'expiresAt');
      return issueToken(context, id, { expiresAt, seen }, authorOf(request));
    });
    if (wrong) {
      const status = wrong.field === 'newestToken' ? 409 : 400;
      return show(request, reply.code(status), { values: typedIn(request.body), wrong });
    }
    return show(request, reply, { issued });
  });

  const ending = { may: 'manageTokens' as const, proof: { to: 'desativar o token' } };
  const path = '/stores/:id/tokens/:tokenId/deactivate';
  app.post(path, { schema: ofToken, config: ending }, async (request, reply) => {
    const { id: storeId } = await storeOr404(context, request.actor, request.params.id);
    await endToken(context, { storeId, id: request.params.tokenId }, authorOf(request));
    return reply.redirect(`${tab(storeId, 'token-deactivated')}#tokens`, 303);
  });

  const showing = { may: 'manageWebhookSecret' as const, proof: { to: 'ver o segredo dos webhooks' } };
  app.post('/stores/:id/webhook-secret/show', { schema, config: showing }, async (request, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    return show(request, reply, { secrets: await showSecrets(context, id, authorOf(request)) });
  });

  const rotating = { may: 'manageWebhookSecret' as const, proof: { to: 'trocar o segredo dos webhooks' } };
  app.post('/stores/:id/webhook-secret/rotate', { schema, config: rotating }, async (request, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    const seen = stateIn(request.body, 'lastRotation');
    const { result: secrets, wrong } = await attempt(() => renewSecret(context, id, authorOf(request), seen));
    if (wrong) return show(request, reply.code(409), { wrong });
    return show(request, reply, { secrets, said: 'secret-rotated' });
  });
};

// A person waits for the answer, and a real receiver answers quickly.
const timeoutMs = 10_000;
const perMinute = 10;
// A receiver that hangs delays its store's alone.
const tests = { all: { running: 4, waiting: 40 }, each: { running: 1, waiting: 9 } };
const busy = 'Muitos testes em pouco tempo. Tente de novo em um minuto.';

/** Sends a test event to a receiver by the way of the real ones: never to an internal address. */
export const testEventPage: AdministrationPlugin = async (app, { context }) => {
  const sender = createSender({ ...context.webhooks, timeoutMs });
  app.addHook('onClose', () => sender.close());
  const inTurn = atMostEach(tests);
  const keyOf = ({ params }: FastifyRequest) => (params as { id: string }).id.toLowerCase();
  const isWithin = await boundBy(app, { max: perMinute, windowMs: 60_000, keyOf });
  const testing = { schema, config: { may: 'manageWebhookSecret' as const } };
  app.post('/stores/:id/test-event', testing, async (request, reply) => {
    const { id: storeId } = await storeOr404(context, request.actor, request.params.id);
    const typed = textOf(request.body, 'webhookUrl');
    const { result: url, wrong } = await attempt(() => readWebhookUrl(typed, context.webhooks));
    if (wrong) return showStoreTab(context, request, reply.code(400), { wrong, tested: { url: typed } });
    const send = () => sendTestEvent(context, sender, { storeId, url: url ?? '' });
    const sent = (await isWithin(request)) ? inTurn(storeId, send) : undefined;
    if (!sent) {
      void reply.code(429).header('retry-after', '60');
      return showStoreTab(context, request, reply, { tested: { url: typed, refused: busy } });
    }
    return showStoreTab(context, request, reply, { tested: { url: typed, result: await sent } });
  });
};

type TabRequest = FastifyRequest<{ Params: { id: string } }>;

/** The result of one of the tab's forms. */
type Shown = {
  values?: Record<string, string>;
  wrong?: FieldError;
  outdated?: OutdatedForm;
  issued?: IssuedToken;
  secrets?: WebhookSecrets | undefined;
  tested?: TestOutcome;
  /** A notice's name. */
  said?: string;
};

/** Sends the store tab. @throws ApiError 404 for an unknown store, and for another than the actor's own */
async function showStoreTab(
  context: AdministrationContext,
  request: TabRequest,
  reply: FastifyReply,
  { said = '', values, ...shown }: Shown = {},
): Promise<FastifyReply> {
  const { actor } = request;
  const store = await storeOr404(context, actor, request.params.id);
  const [tokens, rotation, payments] = await Promise.all([
    may(actor.role, 'manageTokens') ? listTokens(context.db, store.id) : [],
    may(actor.role, 'manageWebhookSecret') ? lastRotation(context.db, store.id) : null,
    countPayments(context.db, { storeId: store.id }),
  ]);
  const state = {
    ...shown,
    ...{ actor, store, tokens, rotation, isNew: payments === 0, publicUrl: context.publicUrl },
    values: { ...formOf(store), ...values },
    // A test store has no choice of banks.
    banks: store.test ? [] : banksOf({ test: false, banks: null }, context.banks.all()).map(({ id }) => id),
    now: context.now(),
    notice: notice(said || textOf(request.query, 'done')),
  };
  return sendPage(request, reply, {
    title: `${store.name}: loja`,
    section: 'stores',
    content: (csrf) => profile(store, { actor, current: 'store' }, storeTab({ csrf, ...state })),
  });
}
