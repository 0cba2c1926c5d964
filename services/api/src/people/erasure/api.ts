import { Type } from '@sinclair/typebox';
import type { FastifyReply } from 'fastify';
import { authorOf } from '../../access/actor.ts';
import { adminAnswersOf } from '../../administration/conditions.ts';
import { noticeView } from '../../administration/notices/api.ts';
import { paymentDetail } from '../../administration/payments/schemas.ts';
import { refTo, Shape } from '../../administration/shapes.ts';
import type { PeoplePlugin } from '../../context.ts';
import { answerOf, skipValidation } from '../../http/answers.ts';
import { sendParts } from '../../http/large-messages.ts';
import { accountView } from '../accounts/actions.ts';
import { ofEmail, readEmail } from '../accounts/fields.ts';
import { erasePerson, type PersonalData, personalDataOf } from './actions.ts';

const email = Type.String({ maxLength: 320, description: 'The person’s e-mail, in any case.' });

const ErasureBody = Type.Object({ email }, { $id: 'ErasureRequest', description: 'The person to erase.' });

const Erasure = Type.Object(
  {
    id: Shape.id('Identifier of the erasure, as in the record.'),
    payments: Shape.count('Payments that named the person.'),
  },
  { $id: 'Erasure', description: 'An erasure. It names nobody.' },
);

// Made once, since Fastify keeps a serializer for each schema object.
const shown = [Type.Ref('Account'), Type.Ref('PaymentDetail'), Type.Ref('Notice')] as const;

const PersonalDataAnswer = Type.Object(
  {
    email,
    account: Type.Union([Type.Ref('Account'), Type.Null()], {
      description: 'The account of a person who signs in to the panel; null without one.',
    }),
    payments: Type.Array(Type.Ref('PaymentDetail'), {
      description:
        'The payments whose e-mail is this one, or whose observation, description or reference contains it, oldest first.',
    }),
    notices: Type.Array(Type.Ref('Notice'), {
      description: 'The mails that went to the address, or are to, newest first.',
    }),
  },
  { $id: 'PersonalData', description: 'All that is known of an e-mail.' },
);

export const personalDataSchemas = [ErasureBody, Erasure, PersonalDataAnswer];

const tags = ['Personal data'];

const erasing = {
  operationId: 'erasePerson',
  summary: 'Erase a person',
  description:
    'Erases e-mail, observation and description of every payment that names the person, in payments, events and deliveries, what ' +
    'receivers answered, and a reference that contains the e-mail. Within a minute JetStream keeps none of it either. Amounts stay. The account of a person who signed in goes, too; while it is active, nothing is erased. Mails to the address go with them.',
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

/** A person's data and its erasure, in the administration's API. */
export const personalDataApi: PeoplePlugin = async (app, { context }) => {
  const options = { config: { may: 'erasePersons' as const }, ...skipValidation };

  app.post('/erasures', { schema: erasing, ...options }, async (request, reply) => {
    const { email } = (request.body as { email?: unknown } | null) ?? {};
    return reply.code(202).send(await erasePerson(context, readEmail(email), authorOf(request)));
  });

  app.get('/personal-data', { schema: exporting, ...options }, async (request, reply) => {
    const reading = { actor: request.actor, by: authorOf(request) };
    const found = await personalDataOf(context, readEmail(request.query.email), reading);
    void reply.type('application/json; charset=utf-8');
    return sendParts(reply, textOf(found, reply, context.publicUrl));
  });
};

/** Writes what is known payment by payment: a person may stand in every payment of a store. */
async function* textOf(
  { email, account, payments, notices }: PersonalData,
  reply: FastifyReply,
  publicUrl: string,
): AsyncGenerator<string> {
  const [accountText, paymentText, noticeText] = shown.map((one) => reply.compileSerializationSchema(one));
  const known = account && accountText!(accountView(account));
  yield `{"email":${JSON.stringify(email)},"account":${known},"payments":[`;
  let separator = '';
  for await (const payment of payments) {
    yield separator + paymentText!(paymentDetail(payment, publicUrl));
    separator = ',';
  }
  yield `],"notices":[${notices.map((one) => noticeText!(noticeView(one))).join(',')}]}`;
}
