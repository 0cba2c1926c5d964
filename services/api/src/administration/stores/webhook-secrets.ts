import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf, optionalBody, ReasonBody } from '../../access/author.ts';
import { ownStore } from '../../access/own.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { adminAnswersOf, notFound, ofChange } from '../conditions.ts';
import { type IdParams, storeParams } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { renewSecret, showSecrets } from './webhook-secret.ts';

const common = { tags: ['Webhook secrets'], params: storeParams };
const secrets = answerOf('The secrets.', Type.Ref('WebhookSecret'));

const get = {
  ...common,
  operationId: 'getWebhookSecret',
  summary: 'Get the webhook secret',
  description:
    'After a rotation, the response also has the previous secret while it still signs. The record shows who read it.',
  response: { 200: secrets, ...adminAnswersOf(notFound.store) },
};

const rotate = {
  ...common,
  operationId: 'rotateWebhookSecret',
  summary: 'Rotate the webhook secret',
  description:
    'The previous secret signs beside the new one for 24 hours: receivers have a day to change over. If a secret ' +
    'leaked, rotate twice: the second rotation ends it at once.',
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: { 200: secrets, ...adminAnswersOf(ofChange, notFound.store) },
};

/** A store's webhook secret and its rotation, at `/admin/stores/{id}/webhook-secret` (Contract: signature). */
export function webhookSecretRoutes(app: FastifyInstance, context: AdministrationContext): void {
  const config = { may: 'manageWebhookSecret' as const };
  const path = '/stores/:id/webhook-secret';

  app.get<{ Params: IdParams }>(path, { schema: get, config }, async (request) => {
    const id = ownStore(request.actor, request.params.id);
    return showSecrets(context, id, authorOf(request));
  });

  type Rotate = { Params: IdParams; Body: Static<typeof ReasonBody> };
  const rotating = { schema: rotate, config, preValidation: optionalBody };
  app.post<Rotate>(`${path}/rotate`, rotating, async (request) => {
    const id = ownStore(request.actor, request.params.id);
    return renewSecret(context, id, authorOf(request, request.body));
  });
}
