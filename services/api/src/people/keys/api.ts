import { listKeys } from '@payments/database/accounts/keys';
import { Type } from '@sinclair/typebox';
import { authorOf, readKind } from '../../access/actor.ts';
import { adminAnswersOf, notFound, ofExpiry, ofKind } from '../../administration/conditions.ts';
import { kindQuery, refTo } from '../../administration/shapes.ts';
import type { PeoplePlugin } from '../../context.ts';
import { answerOf, conditionsOf, skipValidation } from '../../http/answers.ts';
import { ofBlankName, ofStoreOfRole } from '../accounts/fields.ts';
import { issueKey, keyParams, NewKeyBody, readKey, removeKey } from './actions.ts';

const tags = ['Keys'];

const create = {
  operationId: 'createKey',
  summary: 'Make a key for a program',
  description: 'Only this response shows the key. It is sent as `Authorization: Bearer`.',
  tags,
  body: refTo(NewKeyBody),
  response: {
    201: answerOf('The key.', Type.Ref('NewKey')),
    ...adminAnswersOf(conditionsOf(NewKeyBody), ofBlankName, ofStoreOfRole, ofExpiry, notFound.store),
  },
};

const list = {
  operationId: 'listKeys',
  summary: 'List the keys of programs',
  description: 'Keys that were not deleted, oldest first, without their secrets.',
  tags,
  querystring: Type.Object(kindQuery),
  response: { 200: answerOf('The keys.', Type.Ref('KeyList')), ...adminAnswersOf(ofKind) },
};

const remove = {
  operationId: 'deleteKey',
  summary: 'Delete a key',
  description: 'It fails from the next request on, on every replica.',
  tags,
  params: keyParams,
  response: {
    204: Type.Null({ description: 'The key was deleted.' }),
    ...adminAnswersOf(notFound.key),
  },
};

/** Keys of programs in the administration's API: made, listed and deleted. */
export const keysApi: PeoplePlugin = async (app, { context }) => {
  const config = { may: 'manageKeys' as const };
  app.post('/keys', { schema: create, config }, async (request, reply) => {
    const by = authorOf(request, request.body);
    return reply.code(201).send(await issueKey(context, readKey(request.body), by));
  });
  app.get('/keys', { schema: list, config, ...skipValidation }, async ({ actor, query }) => ({
    items: await listKeys(context.db, readKind(actor, query)),
  }));
  app.delete('/keys/:id', { schema: remove, config }, async (request, reply) => {
    await removeKey(context, request.params.id, authorOf(request));
    return reply.code(204).send(null);
  });
};
