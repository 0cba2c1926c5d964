import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
import { authorHeaders, authorOf, optionalBody, ReasonBody } from '../author.ts';
import { notFound, ofAdministrator, ofChange, ofKey } from '../conditions.ts';
import { type IdParams, idOr, storeParams } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { renewSecret, secretsInForce } from './webhook-secret.ts';

const tags = ['Webhook secrets'];
const security = [{ bearer: [] }];

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
    description: 'With the one before, while that signs beside it.',
    tags,
    security,
    params: storeParams,
  };
  const response = {
    200: answerOf('The secrets.', Type.Ref('WebhookSecret')),
    ...errorAnswersOf(...ofAdministrator, ofKey, notFound.store),
  };
  app.get<{ Params: IdParams }>(
    '/stores/:id/webhook-secret',
    { schema: { ...get, response } },
    async (request) => current(idOr(errors.storeNotFound, request.params.id)),
  );

  const summary = 'A new secret; the one before goes on signing for 24 hours';
  const rotate = {
    ...{ operationId: 'rotateWebhookSecret', summary, tags, security, params: storeParams },
    description: 'Receivers have a day to change over: until then every webhook carries both signatures.',
    headers: authorHeaders,
    body: refTo(ReasonBody),
    'x-optional-body': true,
  };
  const rotated = {
    200: answerOf('The secrets.', Type.Ref('WebhookSecret')),
    ...errorAnswersOf(...ofAdministrator, ofKey, ofChange, notFound.store),
  };
  const schema = { ...rotate, response: rotated };
  type Rotation = { Params: IdParams; Body: Static<typeof ReasonBody> };
  const path = '/stores/:id/webhook-secret/rotate';
  app.post<Rotation>(path, { schema, preValidation: optionalBody }, async (request) => {
    const id = idOr(errors.storeNotFound, request.params.id);
    await renewSecret(context, id, authorOf(request, request.body));
    return current(id);
  });
}
