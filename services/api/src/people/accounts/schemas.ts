import { roles } from '@payments/domain/roles';
import { noticeKinds } from '@payments/notices/kinds';
import { Type } from '@sinclair/typebox';
import { reasonField } from '../../access/author.ts';
import { idOf } from '../../administration/parameters.ts';
import { id, idOrNull, oneOf, optional, time } from '../../administration/shapes.ts';

export const accountParams = idOf('Identifier of the account.');

const fields = {
  id: id('Identifier of the account.'),
  name: Type.String({ description: 'The person’s name, as in the record.' }),
  email: Type.String({ description: 'The e-mail with which the person signs in to the panel.' }),
  role: oneOf(roles, 'What the person may do.'),
  storeId: idOrNull('The store of a store’s role; null for a platform’s.'),
  active: Type.Boolean({ description: 'False if the person can’t sign in.' }),
  notices: Type.Array(oneOf(noticeKinds, 'A kind.'), {
    description:
      'The kinds of notices that the person gets by e-mail: as chosen, or else as the role has them.',
  }),
  createdAt: time('When it was made.'),
};

const Account = Type.Object(fields, { $id: 'Account', description: 'A person’s account.' });

const AccountList = Type.Object(
  { items: Type.Array(Type.Ref('Account'), { description: 'The accounts, oldest first.' }) },
  { $id: 'AccountList', description: 'People’s accounts.' },
);

const name = Type.String({ minLength: 1, maxLength: 100, description: 'The person’s name.' });
const role = oneOf(roles, 'What the person may do.');
const storeId = optional(Type.String(), 'The store, for a store’s role only.');

export const NewAccountBody = Type.Object(
  {
    name,
    email: Type.String({ description: 'The person’s e-mail; no other account has it, in any case.' }),
    role,
    storeId,
    reason: reasonField,
  },
  { $id: 'NewAccountRequest', description: 'An account to make.' },
);

export const AccountChangeBody = Type.Object(
  {
    name: Type.Optional(name),
    role: Type.Optional(role),
    storeId,
    active: Type.Optional(Type.Boolean({ description: 'False: the person can’t sign in any more.' })),
    notices: optional(
      Type.Array(Type.String({ enum: [...noticeKinds] })),
      'The kinds of notices that the person gets by e-mail; null for those of the role.',
    ),
    reason: reasonField,
  },
  { $id: 'AccountChange', description: 'Fields to change. Absent fields stay as they are.' },
);

const InvitedAccount = Type.Object(
  {
    ...fields,
    invitationUrl: Type.String({
      description: 'Where the person sets the password, once, within 72 hours. Only this response shows it.',
    }),
  },
  { $id: 'InvitedAccount', description: 'An account with a new invitation.' },
);

export const accountSchemas = [Account, AccountList, NewAccountBody, AccountChangeBody, InvitedAccount];
