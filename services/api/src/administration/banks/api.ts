import { listChargeProblems } from '@payments/database/charges/problems';
import { Type } from '@sinclair/typebox';
import { authorOf, optionalBody, ReasonBody, readKind } from '../../access/actor.ts';
import type { AdministrationPlugin } from '../../context.ts';
import { answerOf, conditionsOf, skipValidation } from '../../http/answers.ts';
import { type Conditions, field, rules } from '../../http/errors/api-error.ts';
import { ofPage, pageQuery, readPage } from '../../http/readers.ts';
import { adminAnswersOf, notFound, ofKind } from '../conditions.ts';
import { bankParams, kindQuery, refTo } from '../shapes.ts';
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
  querystring: Type.Object(kindQuery),
  response: {
    200: answerOf('The banks.', Type.Ref('BankList')),
    ...adminAnswersOf(ofKind),
  },
};

const pause = {
  ...common,
  operationId: 'pauseBank',
  summary: 'Pause a bank',
  description:
    'From now on no new charge goes there, on any replica and also after a restart. The charges that it has are ' +
    'followed to their end. A bank that is paused already stays paused since then. ' +
    'Each pause is recorded with its reason, and the panel shows the first reason and the later ones.',
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
  querystring: Type.Object({ ...kindQuery, ...pageQuery('Entries') }),
  response: {
    200: answerOf('A page of charges that keep failing.', Type.Ref('ChargeProblemList')),
    ...adminAnswersOf(ofPage, ofKind),
  },
};

/** The banks, their pause and resume, at `/admin/banks`, and the charges that keep failing there. */
export const banksApi: AdministrationPlugin = async (app, { context }) => {
  const reading = { schema: list, config: { may: 'readBanks' as const }, ...skipValidation };
  app.get('/banks', reading, async ({ actor, query }) => ({
    items: (await readBanks(context, readKind(actor, query))).map(bankView),
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
  app.get('/charge-problems', listing, async ({ actor, query }) => {
    const page = readPage(query);
    const { items, total } = await listChargeProblems(context.db, page, readKind(actor, query));
    return { items: items.map(problemView), total, ...page };
  });
};
