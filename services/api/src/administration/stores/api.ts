import { listStores } from '@payments/database/stores/stores';
import { listTokens } from '@payments/database/stores/tokens';
import { optionalEvents, tokenDeeds } from '@payments/domain/store-choices';
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { authorOf, optionalBody, ownFilter, ownStore, ReasonBody, storeOr404 } from '../../access/actor.ts';
import { assertMay } from '../../access/authorization.ts';
import type { AdministrationPlugin } from '../../context.ts';
import { answerOf, conditionsOf, skipValidation } from '../../http/answers.ts';
import { type Conditions, field, rules, wrongField } from '../../http/errors/api-error.ts';
import { readDateTime } from '../../http/readers.ts';
import { adminAnswersOf, notFound, ofExpiry, ofKind, ofReason } from '../conditions.ts';
import { kindQuery, refTo, storeParams } from '../shapes.ts';
import {
  changeStore,
  createStore,
  endToken,
  issueToken,
  readStoreFields,
  renewSecret,
  showSecrets,
} from './actions.ts';
import { fieldsOfPlatform, NewStoreBody, NewTokenBody, StoreChangeBody, storeView } from './schemas.ts';

const tags = ['Stores'];

/** Errors that the schemas of a store's bodies don't tell. */
const ofStore: Conditions = {
  nameBlank: field('name', rules.notEmpty, '`name` is only spaces.'),
  feePercentTooFine: field('feePercent', rules.fourDecimals, '`feePercent` has more than four decimals.'),
  feeFixedTooFine: field('feeFixed', rules.twoDecimals, '`feeFixed` has more than two decimals.'),
  maxAmountTooFine: field('maxAmount', rules.twoDecimals, '`maxAmount` has more than two decimals.'),
  reviewAboveTooFine: field('reviewAbove', rules.twoDecimals, '`reviewAbove` has more than two decimals.'),
  banksEmpty: field('banks', rules.notEmpty, '`banks` is empty.'),
  storeBankUnknown: field('banks', rules.oneOf(['default']), '`banks` names a bank that is not configured.'),
  bankTwice: field('banks', rules.unique, '`banks` names a bank twice.'),
  eventUnknown: field('events', rules.oneOf(optionalEvents), '`events` has a value that is none of these.'),
  eventTwice: field('events', rules.unique, '`events` has a value twice.'),
  deedUnknown: field('tokenMay', rules.oneOf(tokenDeeds), '`tokenMay` has a value that is none of these.'),
  deedTwice: field('tokenMay', rules.unique, '`tokenMay` has a value twice.'),
  refundLimitTooFine: field(
    'refundLimitPerDay',
    rules.twoDecimals,
    '`refundLimitPerDay` has more than two decimals.',
  ),
};

const ofNewTest: Conditions = {
  banksOfTest: field('banks', rules.empty, '`banks` is given for a test store.'),
};
const ofTest: Conditions = {
  testFixed: field('test', rules.fixed, '`test` is given: it is settled at the creation.'),
};

const create = {
  operationId: 'createStore',
  summary: 'Create a store',
  description: 'The store is active and has its own webhook secret, but no token yet.',
  tags,
  body: refTo(NewStoreBody),
  response: {
    201: answerOf('The store.', Type.Ref('Store')),
    ...adminAnswersOf(conditionsOf(NewStoreBody), ofStore, ofNewTest, 'noTestBank'),
  },
};

const list = {
  operationId: 'listStores',
  summary: 'List stores',
  description: 'All stores but test stores, oldest first; with `test=true` these alone.',
  tags,
  querystring: Type.Object(kindQuery),
  response: { 200: answerOf('The stores.', Type.Ref('StoreList')), ...adminAnswersOf(ofKind) },
};

const get = {
  operationId: 'getStore',
  summary: 'Get a store',
  description: 'The store and the terms of its payments.',
  tags,
  params: storeParams,
  response: { 200: answerOf('The store.', Type.Ref('Store')), ...adminAnswersOf(notFound.store) },
};

const change = {
  operationId: 'changeStore',
  summary: 'Change a store',
  description:
    'New terms apply to payments created after the change. A store’s own administrator may change `events`, ' +
    '`tokenMay` and `refundLimitPerDay` and no other field. `banks` of a test store is a 400.',
  tags,
  params: storeParams,
  body: refTo(StoreChangeBody),
  response: {
    200: answerOf('The store after the change.', Type.Ref('Store')),
    ...adminAnswersOf(conditionsOf(StoreChangeBody), ofTest, ofStore, notFound.store),
  },
};

/** The parts that the operations on a store's tokens have in common. */
const ofTokens = { tags: ['Tokens'], params: storeParams };

const createToken = {
  ...ofTokens,
  operationId: 'createToken',
  summary: 'Generate a token',
  description: 'The previous token stops working at once. Only this response shows the new one.',
  body: refTo(NewTokenBody),
  'x-optional-body': true,
  response: {
    201: answerOf('The token.', Type.Ref('NewToken')),
    ...adminAnswersOf(conditionsOf(NewTokenBody), ofExpiry, notFound.store),
  },
};

const tokenList = {
  ...ofTokens,
  operationId: 'listTokens',
  summary: 'List tokens, newest first, without their secrets',
  description: 'The token in force and those before it, 100 at most.',
  response: {
    200: answerOf('The tokens.', Type.Ref('TokenList')),
    ...adminAnswersOf(notFound.store),
  },
};

const params = Type.Object({
  id: Type.String({ description: 'Identifier of the store.' }),
  tokenId: Type.String({ description: 'Identifier of the token.' }),
});
const querystring = Type.Object({
  reason: Type.Optional(Type.String({ maxLength: 2_000, description: 'Reason, recorded with the change.' })),
});

const deactivate = {
  tags: ofTokens.tags,
  operationId: 'deactivateToken',
  summary: 'Deactivate a token',
  description: 'The token stops working at once. Deactivating it again changes nothing.',
  params,
  querystring,
  response: {
    204: Type.Null({ description: 'The token is deactivated.' }),
    ...adminAnswersOf(ofReason, notFound.token),
  },
};

const ofSecret = { tags: ['Webhook secrets'], params: storeParams };
const secrets = answerOf('The secrets.', Type.Ref('WebhookSecret'));

const getSecret = {
  ...ofSecret,
  operationId: 'getWebhookSecret',
  summary: 'Get the webhook secret',
  description:
    'After a rotation, the response also has the previous secret while it still signs. The record shows who read it.',
  response: { 200: secrets, ...adminAnswersOf(notFound.store) },
};

const rotateSecret = {
  ...ofSecret,
  operationId: 'rotateWebhookSecret',
  summary: 'Rotate the webhook secret',
  description:
    'The previous secret signs beside the new one for 24 hours: receivers have a day to change over. If a secret ' +
    'leaked, rotate twice: the second rotation ends it at once.',
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: { 200: secrets, ...adminAnswersOf(conditionsOf(ReasonBody), notFound.store) },
};

/** Stores, the terms of their payments, their tokens and their webhook secrets, at `/admin/stores`. */
export const storesApi: AdministrationPlugin = async (app, { context }) => {
  const { db, banks } = context;
  const reading = { may: 'readStores' as const };
  const changing = { may: 'changeStores' as const };

  app.post('/stores', { schema: create, config: changing }, async (request, reply) => {
    const store = await createStore(context, request.body, authorOf(request, request.body));
    return reply.code(201).send(storeView(store));
  });

  const listing = { schema: list, config: reading, ...skipValidation };
  app.get('/stores', listing, async ({ actor, query }) => ({
    items: (await listStores(db, ownFilter(actor, query))).map(storeView),
  }));

  app.get('/stores/:id', { schema: get, config: reading }, async ({ actor, params }) =>
    storeView(await storeOr404(context, actor, params.id)),
  );

  // A store's own people choose for it, and its terms are the platform's: the role comes before the input.
  const preValidation = async (request: FastifyRequest) => {
    const isOfPlatform = fieldsOfPlatform.some((name) => Object.hasOwn(request.body ?? {}, name));
    if (isOfPlatform) await assertMay(context, request, 'changeStores');
  };
  const choosing = { config: { may: 'chooseForStore' as const }, preValidation };
  app.patch('/stores/:id', { schema: change, ...choosing }, async (request) => {
    if ((request.body as { test?: unknown }).test != null) throw wrongField('test', rules.fixed);
    const fields = readStoreFields(request.body, banks);
    const id = ownStore(request.actor, request.params.id);
    return storeView(await changeStore(context, id, () => fields, authorOf(request, request.body)));
  });
};

/** A store's tokens, at `/admin/stores/{id}/tokens`. */
export const tokensApi: AdministrationPlugin = async (app, { context }) => {
  const config = { may: 'manageTokens' as const };
  const path = '/stores/:id/tokens';

  const creating = { schema: createToken, config, preValidation: optionalBody };
  app.post(path, creating, async (request, reply) => {
    const given = request.body.expiresAt ?? null;
    const expiresAt = given === null ? null : readDateTime('expiresAt', given);
    const storeId = ownStore(request.actor, request.params.id);
    const by = authorOf(request, request.body);
    return reply.code(201).send(await issueToken(context, storeId, { expiresAt }, by));
  });

  app.get(path, { schema: tokenList, config }, async (request) => {
    const { id } = await storeOr404(context, request.actor, request.params.id);
    return { items: await listTokens(context.db, id) };
  });

  app.delete(`${path}/:tokenId`, { schema: deactivate, config }, async (request, reply) => {
    const { actor, params, query } = request;
    const by = authorOf(request, query);
    await endToken(context, { storeId: ownStore(actor, params.id), id: params.tokenId }, by);
    return reply.code(204).send(null);
  });
};

/** A store's webhook secret and its rotation, at `/admin/stores/{id}/webhook-secret` (Contract: signature). */
export const webhookSecretApi: AdministrationPlugin = async (app, { context }) => {
  const config = { may: 'manageWebhookSecret' as const };
  const path = '/stores/:id/webhook-secret';

  app.get(path, { schema: getSecret, config }, async (request) => {
    const id = ownStore(request.actor, request.params.id);
    return showSecrets(context, id, authorOf(request));
  });

  const rotating = { schema: rotateSecret, config, preValidation: optionalBody };
  app.post(`${path}/rotate`, rotating, async (request) => {
    const id = ownStore(request.actor, request.params.id);
    return renewSecret(context, id, authorOf(request, request.body));
  });
};
