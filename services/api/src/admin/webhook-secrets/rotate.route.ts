import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
import { authorHeaders, authorOf, optionalBody, ReasonBody } from '../author.ts';
import { notFound, ofAdministrator, ofChange, ofKey } from '../conditions.ts';
import { type IdParams, idOr, storeParams } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { renewSecret } from './webhook-secret.ts';
import { webhookSecretView } from './webhook-secret-view.ts';

const schema = {
  operationId: 'rotateWebhookSecret',
  summary: 'A new secret; the one before goes on signing for 24 hours',
  tags: ['Webhook secrets'],
  security: [{ bearer: [] }],
  params: storeParams,
  description:
    'Receivers have a day to change over: until then every webhook carries both signatures. A further rotation within ' +
    'that day ends the older of the two at once, which rids a store of a secret that leaked.',
  headers: authorHeaders,
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: {
    200: answerOf('The secrets.', Type.Ref('WebhookSecret')),
    ...errorAnswersOf(...ofAdministrator, ofKey, ofChange, notFound.store),
  },
};

/** `POST /admin/stores/{id}/webhook-secret/rotate`. */
export function rotateRoute(app: FastifyInstance, context: ApiContext): void {
  type Rotate = { Params: IdParams; Body: Static<typeof ReasonBody> };
  const options = { schema, preValidation: optionalBody };
  app.post<Rotate>('/stores/:id/webhook-secret/rotate', options, async (request) => {
    const id = idOr(errors.storeNotFound, request.params.id);
    await renewSecret(context, id, authorOf(request, request.body));
    return webhookSecretView(context, id);
  });
}
