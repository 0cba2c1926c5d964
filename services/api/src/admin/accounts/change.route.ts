import { roles } from '@payments/domain/roles';
import { type Static, Type } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { type AccountChange, changeAccount } from '../../accounts/change-account.ts';
import type { ApiContext } from '../../context.ts';
import { answerOf } from '../../docs/answers.ts';
import { errors } from '../../errors/errors.ts';
import { readId, readOneOf } from '../../field-values.ts';
import { authorOf } from '../author.ts';
import {
  adminAnswersOf,
  notFound,
  ofActive,
  ofChange,
  ofLastOwner,
  ofPersonName,
  ofRole,
} from '../conditions.ts';
import { type IdParams, idOf, idOr } from '../parameters.ts';
import { refTo } from '../schemas.ts';
import { readPersonName } from './person-fields.ts';
import { AccountChangeBody } from './schemas.ts';

const ofFields = [ofChange, ofPersonName, ofRole, ofActive];

const schema = {
  operationId: 'changeAccount',
  summary: 'Change an account',
  description:
    'A platform’s role has no store: with it, the account loses its own. A store’s role needs a `storeId` unless the ' +
    'account has a store. Another role or store, or a deactivation, ends every session of the person with the next ' +
    'request. Only `ADMIN_KEY` takes the role from the last active owner.',
  tags: ['Accounts'],
  params: idOf('Identifier of the account.'),
  body: refTo(AccountChangeBody),
  response: {
    200: answerOf('The account after the change.', Type.Ref('Account')),
    ...adminAnswersOf(...ofFields, notFound.account, notFound.store, ofLastOwner),
  },
};

/** `PATCH /admin/accounts/{id}`. */
export function changeRoute(app: FastifyInstance, context: ApiContext): void {
  type Change = { Params: IdParams; Body: Static<typeof AccountChangeBody> };
  const options = { schema, config: { may: 'manageAccounts' as const } } as const;
  app.patch<Change>('/accounts/:id', options, async (request) => {
    const change = readAccountChange(request.body);
    const by = authorOf(request, request.body);
    const id = idOr(errors.accountNotFound, request.params.id);
    return changeAccount(context, id, change, { actor: request.actor, by });
  });
}

/** @throws ApiError 400 for the first wrong field */
export function readAccountChange({
  name,
  role,
  storeId,
  active,
}: Omit<Static<typeof AccountChangeBody>, 'reason'>): AccountChange {
  return {
    name: name === undefined ? undefined : readPersonName(name),
    role: role === undefined ? undefined : readOneOf('role', role, roles),
    storeId: storeId === undefined || storeId === null ? undefined : readId('storeId', storeId),
    active,
  };
}
