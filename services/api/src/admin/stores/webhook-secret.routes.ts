import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { errors } from '../../errors/errors.ts';
import { errorAnswersOf } from '../../payments/schemas.ts';
import { authorHeaders, authorOf, optionalBody, ReasonBody } from '../author.ts';
import { type IdParams, idOr, idParams } from '../parameters.ts';
import { renewSecret, secretsInForce } from './webhook-secret.ts';

const tags = ['Webhook secrets'];
const security = [{ bearer: [] }];

const Secret = Type.Object({
  secret: Type.String({ description: 'Signs the webhooks (Standard Webhooks).' }),
  previousSecret: Type.Union([Type.String(), Type.Null()], {
    description: 'Signs beside it until `previousUntil`.',
  }),
  previousUntil: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
});
const response = { 200: Secret, ...errorAnswersOf(401, 404, 500, 503) };

/** The secret that signs a store's webhooks, and its rotation with overlap (design 5). */
export function webhookSecretRoutes(app: FastifyInstance, context: ApiContext): void {
  const current = async (id: string) => {
    const secrets = await secretsInForce(context, id);
    if (!secrets) throw errors.storeNotFound();
    const { current: secret, previous: previousSecret, previousUntil } = secrets;
    return { secret, previousSecret, previousUntil };
  };

  const get = {
    operationId: 'getWebhookSecret',
    summary: 'The secret in force',
    tags,
    security,
    params: idParams,
  };
  app.get<{ Params: IdParams }>(
    '/stores/:id/webhook-secret',
    { schema: { ...get, response } },
    async (request) => current(idOr(errors.storeNotFound, request.params.id)),
  );

  const summary = 'A new secret; the one before goes on signing for 24 hours';
  const rotate = {
    ...{ operationId: 'rotateWebhookSecret', summary, tags, security, params: idParams },
    headers: authorHeaders,
    body: ReasonBody,
  };
  const schema = { ...rotate, response };
  type Rotation = { Params: IdParams; Body: Static<typeof ReasonBody> };
  const path = '/stores/:id/webhook-secret/rotate';
  app.post<Rotation>(path, { schema, preValidation: optionalBody }, async (request) => {
    const id = idOr(errors.storeNotFound, request.params.id);
    await renewSecret(context, id, authorOf(request, request.body));
    return current(id);
  });
}
