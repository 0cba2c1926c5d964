import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { ownStore } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { authorOf } from '../author.ts';
import { adminAnswersOf, notFound } from '../conditions.ts';
import { type IdParams, storeParams } from '../parameters.ts';
import { showSecrets, webhookSecretView } from './webhook-secret.ts';

const schema = {
  operationId: 'getWebhookSecret',
  summary: 'Get the webhook secret',
  description:
    'After a rotation, the response also has the previous secret while it still signs. The record shows who read it.',
  tags: ['Webhook secrets'],
  params: storeParams,
  response: {
    200: answerOf('The secrets.', Type.Ref('WebhookSecret')),
    ...adminAnswersOf(notFound.store),
  },
};

/** `GET /admin/stores/{id}/webhook-secret`. */
export function getRoute(app: FastifyInstance, context: ApiContext): void {
  app.get<{ Params: IdParams }>(
    '/stores/:id/webhook-secret',
    { schema, config: { may: 'manageWebhookSecret' } },
    async (request) => {
      const id = ownStore(request.actor, request.params.id);
      return webhookSecretView(await showSecrets(context, id, authorOf(request)));
    },
  );
}
