import { setPaused } from '@payments/database/banks/banks';
import type { Author } from '@payments/database/operations/changes';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { type Conditions, field, wrongField } from '../../errors/condition.ts';
import { errors } from '../../errors/errors.ts';
import { rules } from '../../errors/field-rules.ts';
import { authorOf, optionalBody, ReasonBody } from '../author.ts';
import { adminAnswersOf, notFound, ofChange } from '../conditions.ts';
import { idOf } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { PauseBody } from './schemas.ts';

const params = idOf('Identifier of the bank.');
const common = { tags: ['Banks'], params };
const done = Type.Null({ description: 'Done, on every replica.' });

const ofPause: Conditions = {
  reasonMissing: field('reason', rules.string, '`reason` is missing.'),
  reasonTooShort: field('reason', rules.longEnough(1), '`reason` is empty.'),
  reasonBlank: field('reason', rules.notEmpty, '`reason` is only spaces.'),
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

/** `POST /admin/banks/{id}/pause` and `…/resume`. */
export function pauseRoutes(app: FastifyInstance, context: ApiContext): void {
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

/** @throws ApiError 400 without a reason, 404 for an unknown bank */
export async function pauseBank({ db, now }: ApiContext, id: string, by: Author): Promise<void> {
  const reason = by.reason?.trim();
  if (!reason) throw wrongField('reason', rules.notEmpty);
  const isKnown = await setPaused(db, id, { reason, by: { ...by, reason }, now: now() });
  if (!isKnown) throw errors.bankNotFound();
}

/** @throws ApiError 404 for an unknown bank */
export async function resumeBank({ db, now }: ApiContext, id: string, by: Author): Promise<void> {
  if (!(await setPaused(db, id, { reason: null, by, now: now() }))) throw errors.bankNotFound();
}
