import { findAccount, listAccounts } from '@payments/database/accounts/accounts';
import { Type } from '@sinclair/typebox';
import { authorOf, optionalBody, ReasonBody, readKind } from '../../access/actor.ts';
import { adminAnswersOf, notFound, ofKind } from '../../administration/conditions.ts';
import { idOr, kindQuery, refTo } from '../../administration/shapes.ts';
import type { PeoplePlugin } from '../../context.ts';
import { answerOf, conditionsOf, skipValidation } from '../../http/answers.ts';
import { errors } from '../../http/errors/errors.ts';
import { accountView, changeAccount, createAccount, inviteAgain } from './actions.ts';
import {
  AccountChangeBody,
  accountParams,
  NewAccountBody,
  ofBlankName,
  ofEmail,
  ofNotices,
  ofStoreOfRole,
  readAccountChange,
  readNewAccount,
} from './fields.ts';

const tags = ['Accounts'];
const params = accountParams;

const create = {
  operationId: 'createAccount',
  summary: 'Make a person’s account',
  description: 'Send the person the `invitationUrl`, which only this response shows: it sets the password.',
  tags,
  body: refTo(NewAccountBody),
  response: {
    201: answerOf('The account with its invitation.', Type.Ref('InvitedAccount')),
    ...adminAnswersOf(
      conditionsOf(NewAccountBody),
      ofBlankName,
      ofEmail,
      ofStoreOfRole,
      notFound.store,
      'emailTaken',
    ),
  },
};

const list = {
  operationId: 'listAccounts',
  summary: 'List people’s accounts',
  description: 'Active and inactive ones, oldest first.',
  tags,
  querystring: Type.Object(kindQuery),
  response: { 200: answerOf('The accounts.', Type.Ref('AccountList')), ...adminAnswersOf(ofKind) },
};

const get = {
  operationId: 'getAccount',
  summary: 'Get an account',
  description: 'A person’s account, active or not.',
  tags,
  params,
  response: {
    200: answerOf('The account.', Type.Ref('Account')),
    ...adminAnswersOf(notFound.account),
  },
};

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
    ...adminAnswersOf(
      conditionsOf(AccountChangeBody),
      ofBlankName,
      ofNotices,
      ofStoreOfRole,
      notFound.account,
      notFound.store,
      'lastOwner',
    ),
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
    ...adminAnswersOf(conditionsOf(ReasonBody), notFound.account),
  },
};

/** People's accounts in the administration's API: made, listed, changed and invited. */
export const accountsApi: PeoplePlugin = async (app, { context }) => {
  const config = { may: 'manageAccounts' as const };
  const idIn = ({ id }: { id: string }) => idOr(errors.accountNotFound, id);

  app.post('/accounts', { schema: create, config }, async (request, reply) => {
    const by = authorOf(request, request.body);
    return reply.code(201).send(accountView(await createAccount(context, readNewAccount(request.body), by)));
  });

  app.get('/accounts', { schema: list, config, ...skipValidation }, async ({ actor, query }) => ({
    items: (await listAccounts(context.db, readKind(actor, query))).map(accountView),
  }));

  app.get('/accounts/:id', { schema: get, config }, async ({ params }) => {
    const account = await findAccount(context.db, idIn(params));
    if (!account) throw errors.accountNotFound();
    return accountView(account);
  });

  app.patch('/accounts/:id', { schema: change, config }, async (request) => {
    const { actor, body, params } = request;
    const changed = readAccountChange(body);
    const by = authorOf(request, body);
    return accountView(await changeAccount(context, idIn(params), () => changed, { actor, by }));
  });

  const inviting = { schema: invite, config, preValidation: optionalBody };
  app.post('/accounts/:id/invitation', inviting, async (request, reply) => {
    const by = authorOf(request, request.body);
    return reply.code(201).send(accountView(await inviteAgain(context, idIn(request.params), by)));
  });
};
