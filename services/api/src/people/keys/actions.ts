import { deleteKey, insertKey, type Key as StoredKey } from '@payments/database/accounts/keys';
import { type Author, changeOnRecord } from '@payments/database/record/changes';
import { isId, newId } from '@payments/domain/identifiers';
import { roles } from '@payments/domain/roles';
import { newKey, tokenHash } from '@payments/domain/tokens';
import { type Static, Type } from '@sinclair/typebox';
import { reasonField, storeOr404 } from '../../access/actor.ts';
import { idOf, Shape } from '../../administration/shapes.ts';
import type { PeopleContext } from '../../context.ts';
import { rules, wrongField } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';
import { readDateTime } from '../../http/readers.ts';
import { readPersonName, readRole } from '../accounts/fields.ts';
import { tellAuthor } from '../mails/personal-mails.ts';

export const keyParams = idOf('Identifier of the key.');

const fields = {
  id: Shape.id('Identifier of the key; not the key itself.'),
  name: Type.String({ description: 'Its name in the record.' }),
  role: Shape.oneOf(roles, 'What it may do.'),
  storeId: Shape.idOrNull('The store of a store’s role; null for a platform’s.'),
  createdAt: Shape.time('When it was made.'),
  expiresAt: Shape.timeOrNull('When it stops working; null for never by itself.'),
};

const ListedKey = Type.Object(
  { ...fields, lastUsedAt: Shape.timeOrNull('Time of the last request with the key, to about a minute.') },
  { $id: 'Key', description: 'A program’s key without its secret.' },
);

const KeyList = Type.Object(
  { items: Type.Array(Type.Ref('Key'), { description: 'The keys, oldest first.' }) },
  { $id: 'KeyList', description: 'The keys of programs, without their secrets.' },
);

export const NewKeyBody = Type.Object(
  {
    name: Type.String({ minLength: 1, maxLength: 100, description: 'Its name in the record.' }),
    role: Shape.oneOf(roles, 'What it may do.'),
    storeId: Shape.optional(Type.String(), 'The store, for a store’s role only.'),
    expiresAt: Shape.optional(
      Type.String(),
      'Expiry: an ISO 8601 date-time with offset. Null or absent: the key does not expire.',
    ),
    reason: reasonField,
  },
  { $id: 'NewKeyRequest', description: 'A key to make.' },
);

const NewKey = Type.Object(
  {
    ...fields,
    key: Type.String({ description: 'The key. It is shown only once: the service stores its hash.' }),
  },
  { $id: 'NewKey', description: 'A key that was just made.' },
);

export const keySchemas = [ListedKey, KeyList, NewKeyBody, NewKey];

/** Actions of owners on programs' keys: issue and delete. */

type Context = Pick<PeopleContext, 'db' | 'now'>;

type KeyRequest = Pick<StoredKey, 'name' | 'role' | 'storeId' | 'expiresAt'>;
export type IssuedKey = Omit<StoredKey, 'lastUsedAt'> & { key: string };

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

/** @throws ApiError 400 for the first wrong field */
export function readKey({ name, role, storeId, expiresAt }: Static<typeof NewKeyBody>): KeyRequest {
  const until = expiresAt ?? null;
  return {
    name: readPersonName(name),
    ...readRole({ role, storeId }),
    expiresAt: until === null ? null : readDateTime('expiresAt', until),
  };
}
