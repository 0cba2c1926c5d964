import { type AccountRole, changedRole } from '@payments/domain/account-role';
import { type Role, roles } from '@payments/domain/roles';
import { choosableKinds, type NoticeKind, noticeKinds } from '@payments/notices/kinds';
import type { Static } from '@sinclair/typebox';
import validator from 'validator';
import { type Conditions, field, wrongField } from '../../http/errors/api-error.ts';
import { rules } from '../../http/errors/field-rules.ts';
import { readId, readOneOf, readText } from '../../http/readers.ts';
import type { AccountChange, AccountRequest } from './actions.ts';
import type { AccountChangeBody, NewAccountBody } from './schemas.ts';

/** Readers of what is said of an account or a key, in bodies and forms, and the errors that no schema says. */

export const ofBlankName: Conditions = {
  nameBlank: field('name', rules.notEmpty, '`name` is only spaces.'),
};

/** @throws ApiError 400 for a name of spaces only, or one that the database can't store */
export function readPersonName(given: string): string {
  const name = readText('name', given.trim());
  if (name === '') throw wrongField('name', rules.notEmpty);
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
