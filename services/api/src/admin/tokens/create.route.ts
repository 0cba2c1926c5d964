import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { ownStore } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { readDateTime } from '../../field-values.ts';
import { authorOf, optionalBody } from '../author.ts';
import { adminAnswersOf, notFound, ofChange, ofExpiry } from '../conditions.ts';
import { type IdParams, storeParams } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { issueToken } from './issue-token.ts';
import { NewTokenBody } from './schemas.ts';

const schema = {
  operationId: 'createToken',
  summary: 'Generate a token',
  tags: ['Tokens'],
  description: 'The previous token stops working at once. Only this response shows the new one.',
  params: storeParams,
  body: refTo(NewTokenBody),
  'x-optional-body': true,
  response: {
    201: answerOf('The token.', Type.Ref('NewToken')),
    ...adminAnswersOf(ofChange, ofExpiry, notFound.store),
  },
};

/** `POST /admin/stores/{id}/tokens`. */
export function createRoute(app: FastifyInstance, context: ApiContext): void {
  type Create = { Params: IdParams; Body: Static<typeof NewTokenBody> };
  const options = { schema, config: { may: 'manageTokens' as const }, preValidation: optionalBody };
  app.post<Create>('/stores/:id/tokens', options, async (request, reply) => {
    const given = request.body.expiresAt ?? null;
    const expiresAt = given === null ? null : readDateTime('expiresAt', given);
    const storeId = ownStore(request.actor, request.params.id);
    const by = authorOf(request, request.body);
    return reply.code(201).send(await issueToken(context, storeId, expiresAt, by));
  });
}
