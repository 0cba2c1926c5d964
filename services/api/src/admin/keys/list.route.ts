import { listKeys } from '@payments/database/people/keys';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { adminAnswersOf } from '../conditions.ts';

const schema = {
  operationId: 'listKeys',
  summary: 'List the keys of programs',
  description: 'Keys that were not deleted, oldest first, without their secrets.',
  tags: ['Keys'],
  response: { 200: answerOf('The keys.', Type.Ref('KeyList')), ...adminAnswersOf() },
};

/** `GET /admin/keys`. */
export function listRoute(app: FastifyInstance, { db }: ApiContext): void {
  const options = { schema, config: { may: 'manageKeys' as const } } as const;
  app.get('/keys', options, async () => ({ items: await listKeys(db) }));
}
