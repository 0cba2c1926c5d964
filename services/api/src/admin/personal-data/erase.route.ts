import { erase } from '@payments/database/people/erasures';
import { newId } from '@payments/domain/identifiers';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { skipValidation } from '../../skip-validation.ts';
import { authorOf } from '../author.ts';
import { adminAnswersOf, ofEmail } from '../conditions.ts';
import { refTo } from '../schemas.ts';
import { readEmail } from './read-email.ts';
import { ErasureBody } from './schemas.ts';

const schema = {
  operationId: 'erasePerson',
  summary: 'Erase a person',
  description:
    'Erases e-mail and observation of every payment that names the person, in payments, events and deliveries, what ' +
    'receivers answered, and a reference that contains the e-mail. Within a minute JetStream keeps none of it either. Amounts stay. The account of a person who signed in goes, too; while it is active, nothing is erased.',
  tags: ['Personal data'],
  body: refTo(ErasureBody),
  response: {
    202: answerOf('The erasure has begun.', Type.Ref('Erasure')),
    ...adminAnswersOf(ofEmail, 'accountActive'),
  },
};

/** `POST /admin/erasures`. */
export function eraseRoute(app: FastifyInstance, { db, now }: ApiContext): void {
  type Erase = { Body: Static<typeof ErasureBody> | null };
  const options = { schema, config: { may: 'erasePersons' as const }, ...skipValidation };
  app.post<Erase>('/erasures', options, async (request, reply) => {
    const id = newId();
    const erasure = { id, email: readEmail(request.body?.email), now: now() };
    return reply.code(202).send({ id, payments: await erase(db, erasure, authorOf(request)) });
  });
}
