import { listAccounts } from '@payments/database/people/accounts';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { authorOf, optionalBody, ReasonBody } from '../../access/author.ts';
import {
  adminAnswersOf,
  notFound,
  ofActive,
  ofChange,
  ofEmail,
  ofEmailTaken,
  ofEmailType,
  ofLastOwner,
  ofPersonName,
  ofRole,
} from '../../administration/conditions.ts';
import { type IdParams, idOf, idOr } from '../../administration/parameters.ts';
import { refTo } from '../../administration/schemas.ts';
import type { PeopleContext } from '../../context.ts';
import { answerOf } from '../../http/answers.ts';
import { errors } from '../../http/errors/errors.ts';
import { changeAccount } from './change-account.ts';
import { createAccount, inviteAgain } from './invite.ts';
import { readAccountChange, readNewAccount } from './person-fields.ts';
import { AccountChangeBody, NewAccountBody } from './schemas.ts';

const tags = ['Accounts'];
const params = idOf('Identifier of the account.');

const create = {
  operationId: 'createAccount',
  summary: 'Make a person’s account',
  description: 'Send the person the `invitationUrl`, which only this response shows: it sets the password.',
  tags,
  body: refTo(NewAccountBody),
  response: {
    201: answerOf('The account with its invitation.', Type.Ref('InvitedAccount')),
    ...adminAnswersOf(ofChange, ofPersonName, ofEmailType, ofEmail, ofRole, notFound.store, ofEmailTaken),
  },
};

const list = {
  operationId: 'listAccounts',
  summary: 'List people’s accounts',
  description: 'Active and inactive ones, oldest first.',
  tags,
  response: { 200: answerOf('The accounts.', Type.Ref('AccountList')), ...adminAnswersOf() },
};

const ofAccount = [notFound.account, notFound.store, ofLastOwner];

const change = {
  operationId: 'changeAccount',
  summary: 'Change an account',
  description:
    'A platform’s role has no store: with it, the account loses its own. A store’s role needs a `storeId` unless the ' +
    'account has a store. Another role or store, or a deactivation, ends every session of the person with the next ' +
    'request. Only `ADMIN_KEY` takes the role from the last active owner.',
  tags,
  params,
  body: refTo(AccountChangeBody),
  response: {
    200: answerOf('The account after the change.', Type.Ref('Account')),
    ...adminAnswersOf(ofChange, ofPersonName, ofRole, ofActive, ...ofAccount),
  },
};

const invite = {
  operationId: 'inviteAccount',
  summary: 'Make a new invitation',
  description:
    'For a person who lost the link, the password or the second factor. Used, it sets a new password, removes the ' +
    'second factor and ends every session of the person. The invitation before it stops working at once.',
  tags,
  params,
  body: refTo(ReasonBody),
  'x-optional-body': true,
  response: {
    201: answerOf('The account with its invitation.', Type.Ref('InvitedAccount')),
    ...adminAnswersOf(ofChange, notFound.account),
  },
};

/** People's accounts: made, listed, changed and invited, at `/admin/accounts`. */
export function accountRoutes(app: FastifyInstance, context: PeopleContext): void {
  const config = { may: 'manageAccounts' as const };
  const idIn = ({ id }: IdParams) => idOr(errors.accountNotFound, id);

  type Create = { Body: Static<typeof NewAccountBody> };
  app.post<Create>('/accounts', { schema: create, config }, async (request, reply) => {
    const by = authorOf(request, request.body);
    return reply.code(201).send(await createAccount(context, readNewAccount(request.body), by));
  });

  app.get('/accounts', { schema: list, config }, async () => ({ items: await listAccounts(context.db) }));

  type Change = { Params: IdParams; Body: Static<typeof AccountChangeBody> };
  app.patch<Change>('/accounts/:id', { schema: change, config }, async (request) => {
    const { actor, body, params } = request;
    const changed = readAccountChange(body);
    const by = authorOf(request, body);
    return changeAccount(context, idIn(params), changed, { actor, by });
  });

  type Invite = { Params: IdParams; Body: Static<typeof ReasonBody> };
  const inviting = { schema: invite, config, preValidation: optionalBody };
  app.post<Invite>('/accounts/:id/invitation', inviting, async (request, reply) => {
    const by = authorOf(request, request.body);
    return reply.code(201).send(await inviteAgain(context, idIn(request.params), by));
  });
}
