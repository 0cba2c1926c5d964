import { deleteKey, insertKey, type Key } from '@payments/database/accounts/keys';
import { type Author, changeOnRecord } from '@payments/database/record/changes';
import { isId, newId } from '@payments/domain/identifiers';
import { newKey, tokenHash } from '@payments/domain/tokens';
import type { Static } from '@sinclair/typebox';
import { storeOr404 } from '../../access/own.ts';
import type { PeopleContext } from '../../context.ts';
import { type Conditions, field, wrongField } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';
import { rules } from '../../http/errors/field-rules.ts';
import { readDateTime } from '../../http/readers.ts';
import { readPersonName, readRole } from '../accounts/fields.ts';
import { tellAuthor } from '../mails/personal-mails.ts';
import type { NewKeyBody } from './schemas.ts';

/** Actions of owners on programs' keys: issue and delete. */

type Context = Pick<PeopleContext, 'db' | 'now'>;

type KeyRequest = Pick<Key, 'name' | 'role' | 'storeId' | 'expiresAt'>;
export type IssuedKey = Omit<Key, 'lastUsedAt'> & { key: string };

/**
 * Makes a program's key.
 * @returns the key, which is never shown again
 * @throws ApiError 400 for an expiry that is not in the future, 404 for an unknown store
 */
export async function issueKey({ db, now }: Context, request: KeyRequest, by: Author): Promise<IssuedKey> {
  const createdAt = now();
  const { name, role, storeId, expiresAt } = request;
  if (expiresAt && expiresAt <= createdAt) throw wrongField('expiresAt', rules.inFuture);
  if (storeId !== null) await storeOr404({ db }, { storeId: null }, storeId);
  const key = newKey();
  const row = { id: newId(), ...request, createdAt };
  await changeOnRecord(db, by, async (trx) => {
    await insertKey(trx, { ...row, hash: tokenHash(key) });
    await tellAuthor(trx, { change: 'key_made', key: name }, { by, at: createdAt });
    const to = { name, role, expiresAt: expiresAt?.toISOString() ?? null };
    return { action: 'key.created', at: createdAt, storeId, subject: row.id, to };
  });
  return { ...row, key };
}

/**
 * Deletes a key: it fails from the next request on, on every replica.
 * @throws ApiError 404 for an unknown key, and a deleted one
 */
export async function removeKey({ db, now }: Context, id: string, by: Author): Promise<void> {
  const at = now();
  const isDeleted = await changeOnRecord(db, by, async (trx) => {
    const key = isId(id) ? await deleteKey(trx, id, at) : undefined;
    return key && { action: 'key.deleted', at, storeId: key.storeId, subject: id, from: { name: key.name } };
  });
  if (!isDeleted) throw errors.keyNotFound();
}

export const ofExpiry: Conditions = {
  expiresAtInvalid: field('expiresAt', rules.dateTime, '`expiresAt` is no date-time with an offset.'),
  expiresAtPast: field('expiresAt', rules.inFuture, '`expiresAt` is not in the future.'),
};

/** @throws ApiError 400 for the first wrong field */
export function readKey({ name, role, storeId, expiresAt }: Static<typeof NewKeyBody>): KeyRequest {
  const until = expiresAt ?? null;
  return {
    name: readPersonName(name),
    ...readRole({ role, storeId }),
    expiresAt: until === null ? null : readDateTime('expiresAt', until),
  };
}
