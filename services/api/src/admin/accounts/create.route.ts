import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { type AccountRequest, createAccount } from '../../accounts/invite.ts';
import { readRole } from '../../accounts/role-fields.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { authorOf } from '../author.ts';
import {
  adminAnswersOf,
  notFound,
  ofChange,
  ofEmail,
  ofEmailTaken,
  ofEmailType,
  ofPersonName,
  ofRole,
} from '../conditions.ts';
import { readEmail } from '../personal-data/read-email.ts';
import { refTo } from '../schemas.ts';
import { readPersonName } from './person-fields.ts';
import { NewAccountBody } from './schemas.ts';

const ofFields = [ofChange, ofPersonName, ofEmailType, ofEmail, ofRole];

const schema = {
  operationId: 'createAccount',
  summary: 'Make a person’s account',
  description: 'Send the person the `invitationUrl`, which only this response shows: it sets the password.',
  tags: ['Accounts'],
  body: refTo(NewAccountBody),
  response: {
    201: answerOf('The account with its invitation.', Type.Ref('InvitedAccount')),
    ...adminAnswersOf(...ofFields, notFound.store, ofEmailTaken),
  },
};

/** `POST /admin/accounts`. */
export function createRoute(app: FastifyInstance, context: ApiContext): void {
  type Create = { Body: Static<typeof NewAccountBody> };
  const options = { schema, config: { may: 'manageAccounts' as const } } as const;
  app.post<Create>('/accounts', options, async (request, reply) => {
    const by = authorOf(request, request.body);
    return reply.code(201).send(await createAccount(context, readNewAccount(request.body), by));
  });
}

/** @throws ApiError 400 for the first wrong field */
export function readNewAccount({
  name,
  email,
  role,
  storeId,
}: Pick<Static<typeof NewAccountBody>, 'name' | 'email' | 'role' | 'storeId'>): AccountRequest {
  return { name: readPersonName(name), email: readEmail(email), ...readRole({ role, storeId }) };
}
