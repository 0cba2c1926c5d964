import { deleteKey, listKeys } from '@payments/database/people/keys';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf } from '../../access/author.ts';
import {
  adminAnswersOf,
  notFound,
  ofChange,
  ofExpiry,
  ofPersonName,
  ofRole,
} from '../../administration/conditions.ts';
import { type IdParams, idOf, idOr } from '../../administration/parameters.ts';
import { refTo } from '../../administration/schemas.ts';
import type { PeopleContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { errors } from '../../http/errors/errors.ts';
import { issueKey, readKey } from './issue-key.ts';
import { NewKeyBody } from './schemas.ts';

const tags = ['Keys'];

const create = {
  operationId: 'createKey',
  summary: 'Make a key for a program',
  description: 'Only this response shows the key. It is sent as `Authorization: Bearer`.',
  tags,
  body: refTo(NewKeyBody),
  response: {
    201: answerOf('The key.', Type.Ref('NewKey')),
    ...adminAnswersOf(ofChange, ofPersonName, ofRole, ofExpiry, notFound.store),
  },
};

const list = {
  operationId: 'listKeys',
  summary: 'List the keys of programs',
  description: 'Keys that were not deleted, oldest first, without their secrets.',
  tags,
  response: { 200: answerOf('The keys.', Type.Ref('KeyList')), ...adminAnswersOf() },
};

const remove = {
  operationId: 'deleteKey',
  summary: 'Delete a key',
  description: 'It fails from the next request on, on every replica.',
  tags,
  params: idOf('Identifier of the key.'),
  response: {
    204: Type.Null({ description: 'The key was deleted.' }),
    ...adminAnswersOf(notFound.key),
  },
};

/** Keys of programs: made, listed and deleted, at `/admin/keys`. */
export function keyRoutes(app: FastifyInstance, context: PeopleContext): void {
  const { db, now } = context;
  const config = { may: 'manageKeys' as const };
  type Create = { Body: Static<typeof NewKeyBody> };
  app.post<Create>('/keys', { schema: create, config }, async (request, reply) => {
    const by = authorOf(request, request.body);
    return reply.code(201).send(await issueKey(context, readKey(request.body), by));
  });
  app.get('/keys', { schema: list, config }, async () => ({ items: await listKeys(db) }));
  app.delete<{ Params: IdParams }>('/keys/:id', { schema: remove, config }, async (request, reply) => {
    const id = idOr(errors.keyNotFound, request.params.id);
    if (!(await deleteKey(db, id, now(), authorOf(request)))) throw errors.keyNotFound();
    return reply.code(204).send();
  });
}
