import { reaisFrom } from '@payments/domain/money';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { adminAnswersOf } from '../conditions.ts';
import { readBanks } from './read-banks.ts';

const schema = {
  operationId: 'listBanks',
  summary: 'List the banks',
  description: 'In order of preference, with their state and what waits there.',
  tags: ['Banks'],
  response: {
    200: answerOf('The banks.', Type.Ref('BankList')),
    ...adminAnswersOf(),
  },
};

/** `GET /admin/banks`. */
export function listRoute(app: FastifyInstance, context: ApiContext): void {
  app.get('/banks', { schema, config: { may: 'readBanks' } }, async () => {
    const banks = await readBanks(context);
    return { items: banks.map((bank) => ({ ...bank, amountToday: reaisFrom(bank.amountToday) })) };
  });
}
