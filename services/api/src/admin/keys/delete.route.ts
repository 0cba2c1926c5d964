import { deleteKey } from '@payments/database/people/keys';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { authorOf } from '../author.ts';
import { adminAnswersOf, notFound } from '../conditions.ts';
import { type IdParams, idOf, idOr } from '../parameters.ts';

const schema = {
  operationId: 'deleteKey',
  summary: 'Delete a key',
  description: 'It fails from the next request on, on every replica.',
  tags: ['Keys'],
  params: idOf('Identifier of the key.'),
  response: {
    204: Type.Null({ description: 'The key was deleted.' }),
    ...adminAnswersOf(notFound.key),
  },
};

/** `DELETE /admin/keys/{id}`. */
export function deleteRoute(app: FastifyInstance, { db, now }: ApiContext): void {
  const options = { schema, config: { may: 'manageKeys' as const } } as const;
  app.delete<{ Params: IdParams }>('/keys/:id', options, async (request, reply) => {
    const id = idOr(errors.keyNotFound, request.params.id);
    if (!(await deleteKey(db, id, now(), authorOf(request)))) throw errors.keyNotFound();
    return reply.code(204).send();
  });
}
