import type { Author } from '@payments/database/operations/changes';
import { insertKey, type Key } from '@payments/database/people/keys';
import { newId } from '@payments/domain/identifiers';
import { newKey, tokenHash } from '@payments/domain/tokens';
import type { Static } from '@sinclair/typebox';
import { storeOr404 } from '../../access/own.ts';
import type { PeopleContext } from '../../context.ts';
import { wrongField } from '../../http/errors/condition.ts';
import { rules } from '../../http/errors/field-rules.ts';
import { readDateTime } from '../../http/field-values.ts';
import { readPersonName } from '../accounts/person-fields.ts';
import { readRole } from '../accounts/role-fields.ts';
import type { NewKeyBody } from './schemas.ts';

type KeyRequest = Pick<Key, 'name' | 'role' | 'storeId' | 'expiresAt'>;
export type IssuedKey = Omit<Key, 'lastUsedAt'> & { key: string };

/**
 * Makes a program's key.
 * @returns the key, which is never shown again
 * @throws ApiError 400 for an expiry that is not in the future, 404 for an unknown store
 */
export async function issueKey(
  { db, now }: Pick<PeopleContext, 'db' | 'now'>,
  request: KeyRequest,
  by: Author,
): Promise<IssuedKey> {
  const createdAt = now();
  if (request.expiresAt && request.expiresAt <= createdAt) throw wrongField('expiresAt', rules.inFuture);
  if (request.storeId !== null) await storeOr404({ db }, { storeId: null }, request.storeId);
  const key = newKey();
  const row = { id: newId(), ...request, createdAt };
  await insertKey(db, { ...row, hash: tokenHash(key) }, by);
  return { ...row, key };
}

/** @throws ApiError 400 for the first wrong field */
export function readKey({ name, role, storeId, expiresAt }: Static<typeof NewKeyBody>): KeyRequest {
  const until = expiresAt ?? null;
  return {
    name: readPersonName(name),
    ...readRole({ role, storeId }),
    expiresAt: until === null ? null : readDateTime('expiresAt', until),
  };
}
