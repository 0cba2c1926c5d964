import { findAccount, findAccountByEmail } from '@payments/database/people/accounts';
import { findPaymentsOf } from '@payments/database/people/personal-data';
import { Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { skipValidation } from '../../skip-validation.ts';
import { authorOf } from '../author.ts';
import { recordSearch } from '../changes/record-reading.ts';
import { adminAnswersOf, ofEmail } from '../conditions.ts';
import { paymentDetail, pictureOf } from '../payments/picture.ts';
import { readEmail } from './read-email.ts';

const schema = {
  operationId: 'getPersonalData',
  summary: 'Get all that is known of an e-mail',
  description: 'For a person who asks what is kept of them.',
  tags: ['Personal data'],
  querystring: Type.Object({
    email: Type.String({ maxLength: 320, description: 'The person’s e-mail, in any case.' }),
  }),
  response: {
    200: answerOf('What is known.', Type.Ref('PersonalData')),
    ...adminAnswersOf(ofEmail),
  },
};

/** `GET /admin/personal-data`. */
export function exportRoute(app: FastifyInstance, context: ApiContext): void {
  const { db, publicUrl } = context;
  type Query = { Querystring: Record<string, unknown> };
  const options = { schema, config: { may: 'erasePersons' as const }, ...skipValidation };
  app.get<Query>('/personal-data', options, async (request) => {
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
