import { type AccountRole, changedRole, type Role, roles } from '@payments/domain/roles';
import { choosableKinds, type NoticeKind, noticeKinds } from '@payments/notices/kinds';
import { type Static, Type } from '@sinclair/typebox';
import validator from 'validator';
import { reasonField } from '../../access/actor.ts';
import { idOf, Shape } from '../../administration/shapes.ts';
import { type Conditions, field, rules, wrongField } from '../../http/errors/api-error.ts';
import { isBlank, readId, readOneOf, readText } from '../../http/readers.ts';
import type { AccountChange, AccountRequest } from './actions.ts';

export const accountParams = idOf('Identifier of the account.');

const fields = {
  id: Shape.id('Identifier of the account.'),
  name: Type.String({ description: 'The person’s name, as in the record.' }),
  email: Type.String({ description: 'The e-mail with which the person signs in to the panel.' }),
  role: Shape.oneOf(roles, 'What the person may do.'),
  storeId: Shape.idOrNull('The store of a store’s role; null for a platform’s.'),
  active: Type.Boolean({ description: 'False if the person can’t sign in.' }),
  notices: Type.Array(Shape.oneOf(noticeKinds, 'A kind.'), {
    description:
      'The kinds of notices that the person gets by e-mail: as chosen, or else as the role has them.',
  }),
  createdAt: Shape.time('When it was made.'),
};

const Account = Type.Object(fields, { $id: 'Account', description: 'A person’s account.' });

const AccountList = Type.Object(
  { items: Type.Array(Type.Ref('Account'), { description: 'The accounts, oldest first.' }) },
  { $id: 'AccountList', description: 'People’s accounts.' },
);

const name = Type.String({ minLength: 1, maxLength: 100, description: 'The person’s name.' });
const role = Shape.oneOf(roles, 'What the person may do.');
const storeId = Shape.optional(Type.String(), 'The store, for a store’s role only.');

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
    notices: Shape.optional(
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

/** Readers of what is said of an account or a key, in bodies and forms, and the errors that no schema says. */

export const ofBlankName: Conditions = {
  nameBlank: field('name', rules.notEmpty, '`name` is only spaces.'),
};

/** @throws ApiError 400 for a name that is blank, or that the database can't store */
export function readPersonName(given: string): string {
  const name = readText('name', given.trim());
  if (isBlank(name)) throw wrongField('name', rules.notEmpty);
  return name;
}

export const ofEmail: Conditions = {
  emailInvalid: field('email', rules.email, '`email` is missing or no e-mail address.'),
};

/** @throws ApiError 400 for a value that is no e-mail */
export function readEmail(value: unknown): string {
  const email = typeof value === 'string' ? value.trim() : '';
  if (!email.isWellFormed() || !validator.isEmail(email)) throw wrongField('email', rules.email);
  return email;
}

export const ofStoreOfRole: Conditions = {
  storeIdMissing: field('storeId', rules.notEmpty, 'A store’s role needs a `storeId`.'),
  storeIdGiven: field('storeId', rules.empty, 'A platform’s role has no `storeId`.'),
  storeIdInvalid: field('storeId', rules.uuid, '`storeId` is no UUID.'),
};

/**
 * Reads the role of a key or an account, and the store that it belongs to.
 * @throws ApiError 400 for an unknown role, a store's role without a store, a platform's with one
 */
export function readRole({ role: given, storeId }: { role: unknown; storeId?: unknown }): AccountRole {
  const role = readOneOf('role', given, roles);
  // Judged before the form of the id.
  const isGiven = storeId !== undefined && storeId !== null;
  roleAfter({ role, storeId: null }, { storeId: isGiven ? String(storeId) : undefined });
  return { role, storeId: isGiven ? readId('storeId', storeId) : null };
}

/** @throws ApiError 400 for a store's role without a store, a platform's with one */
export function roleAfter(account: AccountRole, change: Parameters<typeof changedRole>[1]): AccountRole {
  const changed = changedRole(account, change);
  if (changed === 'store_missing') throw wrongField('storeId', rules.notEmpty);
  if (changed === 'store_given') throw wrongField('storeId', rules.empty);
  return changed;
}

/** @throws ApiError 400 for the first wrong field */
export function readNewAccount({
  name,
  email,
  role,
  storeId,
}: Omit<Static<typeof NewAccountBody>, 'reason'>): AccountRequest {
  return { name: readPersonName(name), email: readEmail(email), ...readRole({ role, storeId }) };
}

/** @throws ApiError 400 for the first wrong field */
export function readAccountChange({
  name,
  role,
  storeId,
  active,
  notices,
}: Omit<Static<typeof AccountChangeBody>, 'reason'>): AccountChange {
  return {
    name: name === undefined ? undefined : readPersonName(name),
    role: role === undefined ? undefined : readOneOf('role', role, roles),
    storeId: storeId === undefined || storeId === null ? undefined : readId('storeId', storeId),
    active,
    notices,
  };
}

export const ofNotices: Conditions = {
  noticeUnknown: field(
    'notices',
    rules.oneOf([...noticeKinds]),
    '`notices` has a value that is no kind of notice, or none that the role may choose.',
  ),
  noticeTwice: field('notices', rules.unique, '`notices` has a value twice.'),
};

/**
 * @param given the kinds; null for those of the role
 * @returns them in the order of all kinds
 * @throws ApiError 400 for a value that is no kind that the role may choose, or is given twice
 */
export function readNoticeKinds(given: readonly unknown[] | null, role: Role): NoticeKind[] | null {
  if (given === null) return null;
  const choosable = choosableKinds(role);
  const chosen = given.map((one) => readOneOf('notices', one, choosable));
  if (new Set(chosen).size < chosen.length) throw wrongField('notices', rules.unique);
  return choosable.filter((kind) => chosen.includes(kind));
}
