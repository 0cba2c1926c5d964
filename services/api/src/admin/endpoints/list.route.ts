import { listFailingEndpoints } from '@payments/database/deliveries/endpoints';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { storeFilter } from '../../authentication/own.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { adminAnswersOf } from '../conditions.ts';

const shownAtMost = 1_000;

const schema = {
  operationId: 'listFailingEndpoints',
  summary: 'List failing receivers, longest failing first',
  description: 'Ten failures in a row open a receiver’s circuit: only one delivery at a time probes it.',
  tags: ['Deliveries'],
  response: {
    200: answerOf('The failing receivers.', Type.Ref('EndpointList')),
    ...adminAnswersOf(),
  },
};

/** `GET /admin/endpoints`. */
export function listRoute(app: FastifyInstance, { db }: ApiContext): void {
  app.get('/endpoints', { schema, config: { may: 'readEndpoints' } }, async ({ actor }) => ({
    items: await listFailingEndpoints(db, shownAtMost, storeFilter(actor)),
  }));
}
