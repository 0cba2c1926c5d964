import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { ownStore } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { authorOf, optionalBody, ReasonBody } from '../author.ts';
import { adminAnswersOf, notFound, ofChange } from '../conditions.ts';
import { type IdParams, storeParams } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { renewSecret, webhookSecretView } from './webhook-secret.ts';

const schema = {
  operationId: 'rotateWebhookSecret',
  summary: 'Rotate the webhook secret',
  tags: ['Webhook secrets'],
  params: storeParams,
  description:
    'The previous secret signs beside the new one for 24 hours: receivers have a day to change over. If a secret ' +
    'leaked, rotate twice: the second rotation ends it at once.',
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: {
    200: answerOf('The secrets.', Type.Ref('WebhookSecret')),
    ...adminAnswersOf(ofChange, notFound.store),
  },
};

/** `POST /admin/stores/{id}/webhook-secret/rotate`. */
export function rotateRoute(app: FastifyInstance, context: ApiContext): void {
  type Rotate = { Params: IdParams; Body: Static<typeof ReasonBody> };
  const options = { schema, config: { may: 'manageWebhookSecret' as const }, preValidation: optionalBody };
  app.post<Rotate>('/stores/:id/webhook-secret/rotate', options, async (request) => {
    const id = ownStore(request.actor, request.params.id);
    return webhookSecretView(await renewSecret(context, id, authorOf(request, request.body)));
  });
}
