import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { countPayments } from '@payments/database/payments/counts';
import { listTokens } from '@payments/database/stores/tokens';
import type { WebhookSecrets } from '@payments/database/stores/webhook-secrets';
import { may } from '@payments/domain/roles';
import { banksOf } from '@payments/domain/route-charge';
import { createSender } from '@payments/webhooks/sender';
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { authorOf } from '../../access/author.ts';
import { storeOr404 } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { boundBy } from '../../http/address-limit.ts';
import { atMost } from '../../http/bounds.ts';
import { readWebhookUrl } from '../../public/payments/new-payment.ts';
import { attempt, dateTimeOf, type FieldError, textOf, typedIn } from '../kit/form-values.ts';
import { sendPage } from '../kit/layout.ts';
import { notice } from '../kit/notices.ts';
import { storeParams } from '../parameters.ts';
import {
  changeStore,
  endToken,
  type IssuedToken,
  issueToken,
  readStoreFields,
  renewSecret,
  sendTestEvent,
  showSecrets,
} from './actions.ts';
import { formOf, profile, readChoices, readStoreChange, typedChoices } from './parts.ts';
import { storeTab, type TestOutcome } from './sections.ts';

const schema = { params: storeParams };
const ofToken = {
  params: Type.Object({ id: Type.String(), tokenId: Type.String() }),
};

/** A store's own tab and its forms. Some render the tab again: with an error, a new token, or the secret. */
export const storePage: FastifyPluginAsyncTypebox<{ context: AdministrationContext }> = async (
  app,
  { context },
) => {
  const tab = (id: string, done: string) => `/panel/stores/${id}/store?done=${done}`;
  const show = (request: TabRequest, reply: FastifyReply, shown?: Shown) =>
    showStoreTab(context, request, reply, shown);

  app.get('/stores/:id/store', { schema, config: { may: 'readStores' } }, async (request, reply) =>
    show(request, reply),
  );

  const changing = { schema, config: { may: 'changeStores' as const } };
  app.post('/stores/:id', changing, async (request, reply) => {
    const store = await storeOr404(context, request.actor, request.params.id);
    const { wrong } = await attempt(() => {
      const fields = readStoreFields(readStoreChange(request.body, store), context.banks);
      return changeStore(context, store.id, fields, authorOf(request));
    });
    if (wrong) return show(request, reply.code(400), { values: typedIn(request.body), wrong });
    return reply.redirect(tab(store.id, 'store-saved'), 303);
  });

  app.post('/stores/:id/active', changing, async (request, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    const active = textOf(request.body, 'active') === 'true';
    await changeStore(context, id, { active }, authorOf(request));
    return reply.redirect(tab(id, active ? 'store-activated' : 'store-deactivated'), 303);
  });

  const choosing = { may: 'chooseForStore' as const, proof: { to: 'mudar o que o token pode' } };
  app.post('/stores/:id/choices', { schema, config: choosing }, async (request, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    const { wrong } = await attempt(() => {
      const fields = readStoreFields(readChoices(request.body), context.banks);
      return changeStore(context, id, fields, authorOf(request));
    });
    if (wrong) return show(request, reply.code(400), { values: typedChoices(request.body), wrong });
    return reply.redirect(`${tab(id, 'store-saved')}#choices`, 303);
  });

  const creating = { may: 'manageTokens' as const, proof: { to: 'gerar o token' } };
  app.post('/stores/:id/tokens', { schema, config: creating }, async (request, reply) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    const issue = () => issueToken(context, id, dateTimeOf(request.body, 'expiresAt'), authorOf(request));
    const { result: issued, wrong } = await attempt(issue);
    return wrong ? show(request, reply.code(400), { wrong }) : show(request, reply, { issued });
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
    const secrets = await renewSecret(context, id, authorOf(request));
    return show(request, reply, { secrets, said: 'secret-rotated' });
  });
};

// A person waits for the answer, and a real receiver answers quickly.
const timeoutMs = 10_000;
const perMinute = 10;
const busy = 'Muitos testes em pouco tempo. Tente de novo em um minuto.';

/** Sends a test event to a receiver by the way of the real ones: never to an internal address. */
export const testEventPage: FastifyPluginAsyncTypebox<{ context: AdministrationContext }> = async (
  app,
  { context },
) => {
  const sender = createSender({ ...context.webhooks, timeoutMs });
  app.addHook('onClose', () => sender.close());
  const inTurn = atMost({ running: 4, waiting: 8 });
  const keyOf = ({ params }: FastifyRequest) => (params as { id: string }).id;
  const isWithin = await boundBy(app, { max: perMinute, windowMs: 60_000, keyOf });
  const testing = { schema, config: { may: 'manageWebhookSecret' as const } };
  app.post('/stores/:id/test-event', testing, async (request, reply) => {
    const { id: storeId } = await storeOr404(context, request.actor, request.params.id);
    const typed = textOf(request.body, 'webhookUrl');
    const { result: url, wrong } = await attempt(() => readWebhookUrl(typed, context.webhooks));
    if (wrong) return showStoreTab(context, request, reply.code(400), { wrong, tested: { url: typed } });
    const send = () => sendTestEvent(context, sender, { storeId, url: url ?? '' });
    const sent = (await isWithin(request)) ? inTurn(send) : undefined;
    if (!sent)
      return showStoreTab(context, request, reply.code(429), { tested: { url: typed, refused: busy } });
    return showStoreTab(context, request, reply, { tested: { url: typed, result: await sent } });
  });
};

type TabRequest = FastifyRequest<{ Params: { id: string } }>;

/** The result of one of the tab's forms. */
type Shown = {
  values?: Record<string, string>;
  wrong?: FieldError;
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
  const [tokens, payments] = await Promise.all([
    may(actor.role, 'manageTokens') ? listTokens(context.db, store.id) : [],
    countPayments(context.db, { storeId: store.id }),
  ]);
  const state = {
    ...shown,
    ...{ actor, store, tokens, isNew: payments === 0, publicUrl: context.publicUrl },
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
