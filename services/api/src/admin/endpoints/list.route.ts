import { listFailingEndpoints } from '@payments/database/deliveries/endpoints';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf, errorAnswersOf } from '../../docs/answers.ts';
import { ofAdministrator, ofKey } from '../conditions.ts';

const shownAtMost = 1_000;

const schema = {
  operationId: 'listFailingEndpoints',
  summary: 'Receivers that fail now, longest first',
  description:
    'After ten failures in a row a receiver is left alone, and probed with one delivery now and then.',
  tags: ['Deliveries'],
  security: [{ bearer: [] }],
  response: {
    200: answerOf('Those that fail.', Type.Ref('EndpointList')),
    ...errorAnswersOf(...ofAdministrator, ofKey),
  },
};

/** `GET /admin/endpoints`. */
export function listRoute(app: FastifyInstance, { db }: ApiContext): void {
  app.get('/endpoints', { schema }, async () => ({ items: await listFailingEndpoints(db, shownAtMost) }));
}
