import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { listChargeProblems } from '@payments/database/charges/problems';
import { Type } from '@sinclair/typebox';
import { authorOf, optionalBody, ReasonBody } from '../../access/author.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { type Conditions, field } from '../../http/errors/api-error.ts';
import { rules } from '../../http/errors/field-rules.ts';
import { ofPage, pageQuery, readPage } from '../../http/readers.ts';
import { conditionsOf, skipValidation } from '../../http/validation.ts';
import { adminAnswersOf, notFound } from '../conditions.ts';
import { bankParams } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { pauseBank, readBanks, resumeBank } from './actions.ts';
import { bankView, PauseBody, problemView } from './schemas.ts';

const common = { tags: ['Banks'], params: bankParams };
const done = Type.Null({ description: 'Done, on every replica.' });

const ofPause: Conditions = {
  reasonBlank: field('reason', rules.notEmpty, '`reason` is only spaces.'),
};

const list = {
  operationId: 'listBanks',
  summary: 'List the banks',
  description: 'In order of preference, with their state and what waits there.',
  tags: ['Banks'],
  response: {
    200: answerOf('The banks.', Type.Ref('BankList')),
    ...adminAnswersOf(),
  },
};

const pause = {
  ...common,
  operationId: 'pauseBank',
  summary: 'Pause a bank',
  description:
    'From now on no new charge goes there, on any replica and also after a restart. The charges that it has are ' +
    'followed to their end. A bank that is paused already keeps its first reason.',
  body: refTo(PauseBody),
  response: {
    204: done,
    ...adminAnswersOf(conditionsOf(PauseBody), ofPause, notFound.bank),
  },
};

const resume = {
  ...common,
  operationId: 'resumeBank',
  summary: 'Resume a bank',
  description: 'New charges go there again.',
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: { 204: done, ...adminAnswersOf(conditionsOf(ReasonBody), notFound.bank) },
};

const problems = {
  operationId: 'listChargeProblems',
  summary: 'List charges that keep failing, oldest first',
  description:
    'Charges that the service could not register, settle, close or cancel. It keeps retrying them.',
  tags: ['Payments'],
  querystring: Type.Object(pageQuery('Entries')),
  response: {
    200: answerOf('A page of charges that keep failing.', Type.Ref('ChargeProblemList')),
    ...adminAnswersOf(ofPage),
  },
};

/** The banks, their pause and resume, at `/admin/banks`, and the charges that keep failing there. */
export const banksApi: FastifyPluginAsyncTypebox<{ context: AdministrationContext }> = async (
  app,
  { context },
) => {
  app.get('/banks', { schema: list, config: { may: 'readBanks' } }, async () => ({
    items: (await readBanks(context)).map(bankView),
  }));

  const config = { may: 'pauseBank' as const };
  app.post('/banks/:id/pause', { schema: pause, config }, async (request, reply) => {
    await pauseBank(context, request.params.id, authorOf(request, request.body));
    return reply.code(204).send(null);
  });

  const resuming = { schema: resume, config, preValidation: optionalBody };
  app.post('/banks/:id/resume', resuming, async (request, reply) => {
    await resumeBank(context, request.params.id, authorOf(request, request.body));
    return reply.code(204).send(null);
  });

  const listing = { schema: problems, config: { may: 'readProblems' as const }, ...skipValidation };
  app.get('/charge-problems', listing, async ({ query }) => {
    const page = readPage(query);
    const { items, total } = await listChargeProblems(context.db, page);
    return { items: items.map(problemView), total, ...page };
  });
};
