import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { readRole } from '../../accounts/role-fields.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { readDateTime } from '../../field-values.ts';
import { readPersonName } from '../accounts/person-fields.ts';
import { authorOf } from '../author.ts';
import { adminAnswersOf, notFound, ofChange, ofExpiry, ofPersonName, ofRole } from '../conditions.ts';
import { refTo } from '../schemas.ts';
import { issueKey, type KeyRequest } from './issue-key.ts';
import { NewKeyBody } from './schemas.ts';

const schema = {
  operationId: 'createKey',
  summary: 'Make a key for a program',
  description: 'Only this response shows the key. It is sent as `Authorization: Bearer`.',
  tags: ['Keys'],
  body: refTo(NewKeyBody),
  response: {
    201: answerOf('The key.', Type.Ref('NewKey')),
    ...adminAnswersOf(ofChange, ofPersonName, ofRole, ofExpiry, notFound.store),
  },
};

/** `POST /admin/keys`. */
export function createRoute(app: FastifyInstance, context: ApiContext): void {
  type Create = { Body: Static<typeof NewKeyBody> };
  const options = { schema, config: { may: 'manageKeys' as const } } as const;
  app.post<Create>('/keys', options, async (request, reply) => {
    const by = authorOf(request, request.body);
    return reply.code(201).send(await issueKey(context, readKey(request.body), by));
  });
}

/** @throws ApiError 400 for the first wrong field */
export function readKey({ name, role, storeId, expiresAt }: Static<typeof NewKeyBody>): KeyRequest {
  const until = expiresAt ?? null;
  return {
    name: readPersonName(name),
    ...readRole({ role, storeId }),
    expiresAt: until === null ? null : readDateTime('expiresAt', until),
  };
}
