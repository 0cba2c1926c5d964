import { findAccount, findAccountByEmail } from '@payments/database/people/accounts';
import { erase } from '@payments/database/people/erasures';
import { findPaymentsOf } from '@payments/database/people/personal-data';
import { newId } from '@payments/domain/identifiers';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf } from '../../access/author.ts';
import { adminAnswersOf, ofEmail } from '../../administration/conditions.ts';
import { paymentDetail, pictureOf } from '../../administration/payments/picture.ts';
import { recordSearch } from '../../administration/record/record-reading.ts';
import { refTo } from '../../administration/schemas.ts';
import type { PeopleContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { skipValidation } from '../../http/skip-validation.ts';
import { readEmail } from './read-email.ts';
import { ErasureBody } from './schemas.ts';

const tags = ['Personal data'];

const erasing = {
  operationId: 'erasePerson',
  summary: 'Erase a person',
  description:
    'Erases e-mail and observation of every payment that names the person, in payments, events and deliveries, what ' +
    'receivers answered, and a reference that contains the e-mail. Within a minute JetStream keeps none of it either. Amounts stay. The account of a person who signed in goes, too; while it is active, nothing is erased.',
  tags,
  body: refTo(ErasureBody),
  response: {
    202: answerOf('The erasure has begun.', Type.Ref('Erasure')),
    ...adminAnswersOf(ofEmail, 'accountActive'),
  },
};

const exporting = {
  operationId: 'getPersonalData',
  summary: 'Get all that is known of an e-mail',
  description: 'For a person who asks what is kept of them.',
  tags,
  querystring: Type.Object({
    email: Type.String({ maxLength: 320, description: 'The person’s e-mail, in any case.' }),
  }),
  response: {
    200: answerOf('What is known.', Type.Ref('PersonalData')),
    ...adminAnswersOf(ofEmail),
  },
};

/** What is known of a person, and its erasure (Contract: personal data). */
export function personalDataRoutes(app: FastifyInstance, context: PeopleContext): void {
  const { db, now, publicUrl } = context;
  const options = { config: { may: 'erasePersons' as const }, ...skipValidation };

  type Erase = { Body: Static<typeof ErasureBody> | null };
  app.post<Erase>('/erasures', { schema: erasing, ...options }, async (request, reply) => {
    const id = newId();
    const erasure = { id, email: readEmail(request.body?.email), now: now() };
    return reply.code(202).send({ id, payments: await erase(db, erasure, authorOf(request)) });
  });

  type Query = { Querystring: Record<string, unknown> };
  app.get<Query>('/personal-data', { schema: exporting, ...options }, async (request) => {
    const { actor } = request;
    const email = readEmail(request.query.email);
    await recordSearch(context, { actor, query: { q: email }, by: authorOf(request) });
    const found = await findAccountByEmail(db, email);
    const account = found ? await findAccount(db, found.id) : undefined;
    const payments = [];
    for (const { id } of await findPaymentsOf(db, email))
      payments.push(paymentDetail(await pictureOf(context, actor, id), publicUrl));
    return { email, account: account ?? null, payments };
  });
}
