import { listAccounts } from '@payments/database/people/accounts';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { adminAnswersOf } from '../conditions.ts';

const schema = {
  operationId: 'listAccounts',
  summary: 'List people’s accounts',
  description: 'Active and inactive ones, oldest first.',
  tags: ['Accounts'],
  response: {
    200: answerOf('The accounts.', Type.Ref('AccountList')),
    ...adminAnswersOf(),
  },
};

/** `GET /admin/accounts`. */
export function listRoute(app: FastifyInstance, { db }: ApiContext): void {
  const options = { schema, config: { may: 'manageAccounts' as const } } as const;
  app.get('/accounts', options, async () => ({ items: await listAccounts(db) }));
}
