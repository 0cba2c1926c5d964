import { roles } from '@payments/domain/roles';
import type { Static } from '@sinclair/typebox';
import { wrongField } from '../../http/errors/condition.ts';
import { rules } from '../../http/errors/field-rules.ts';
import { readId, readOneOf, readText } from '../../http/field-values.ts';
import { readEmail } from '../erasure/read-email.ts';
import type { AccountChange } from './change-account.ts';
import type { AccountRequest } from './invite.ts';
import { readRole } from './role-fields.ts';
import type { AccountChangeBody, NewAccountBody } from './schemas.ts';

/** @throws ApiError 400 for a name of spaces only, or one that the database can't store */
export function readPersonName(given: string): string {
  const name = readText('name', given.trim());
  if (name === '') throw wrongField('name', rules.notEmpty);
  return name;
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
