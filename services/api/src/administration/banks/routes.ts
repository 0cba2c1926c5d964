import { reaisFrom } from '@payments/domain/money';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf, optionalBody, ReasonBody } from '../../access/author.ts';
import type { AdministrationContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { type Conditions, field } from '../../http/errors/condition.ts';
import { rules } from '../../http/errors/field-rules.ts';
import { adminAnswersOf, notFound, ofChange } from '../conditions.ts';
import { idOf } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { pauseBank, resumeBank } from './pause.ts';
import { readBanks } from './read-banks.ts';
import { PauseBody } from './schemas.ts';

const params = idOf('Identifier of the bank.');
const common = { tags: ['Banks'], params };
const done = Type.Null({ description: 'Done, on every replica.' });

const ofPause: Conditions = {
  reasonMissing: field('reason', rules.string, '`reason` is missing.'),
  reasonTooShort: field('reason', rules.longEnough(1), '`reason` is empty.'),
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
    ...adminAnswersOf(ofChange, ofPause, notFound.bank),
  },
};

const resume = {
  ...common,
  operationId: 'resumeBank',
  summary: 'Resume a bank',
  description: 'New charges go there again.',
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: { 204: done, ...adminAnswersOf(ofChange, notFound.bank) },
};

/** The banks: their state, pause and resume, at `/admin/banks`. */
export function bankRoutes(app: FastifyInstance, context: AdministrationContext): void {
  app.get('/banks', { schema: list, config: { may: 'readBanks' } }, async () => {
    const banks = await readBanks(context);
    return { items: banks.map((bank) => ({ ...bank, amountToday: reaisFrom(bank.amountToday) })) };
  });
  type Pause = { Params: { id: string }; Body: Static<typeof PauseBody> };
  app.post<Pause>(
    '/banks/:id/pause',
    { schema: pause, config: { may: 'pauseBank' as const } },
    async (request, reply) => {
      await pauseBank(context, request.params.id, authorOf(request, request.body));
      return reply.code(204).send();
    },
  );
  type Resume = { Params: { id: string }; Body: Static<typeof ReasonBody> };
  const options = { schema: resume, config: { may: 'pauseBank' as const }, preValidation: optionalBody };
  app.post<Resume>('/banks/:id/resume', options, async (request, reply) => {
    await resumeBank(context, request.params.id, authorOf(request, request.body));
    return reply.code(204).send();
  });
}
