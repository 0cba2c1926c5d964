import type { Queryable } from '../connection.ts';
import type { Selected } from '../schema.ts';

const columns = ['id', 'accountId', 'publicKey', 'counter', 'name', 'createdAt', 'lastUsedAt'] as const;

/** A passkey of an account; the private key never leaves the person's device. */
export type Passkey = Selected<'passkeys', typeof columns>;

/** The most passkeys of an account. */
export const mostPasskeys = 20;

/**
 * Adds a passkey. It locks the account: a sign-in at the same time ends before it, or sees the passkey.
 * @returns whether it is the account's first factor; undefined if it is known; `full` if the account has as many as it may
 */
export async function insertPasskey(
  trx: Queryable,
  passkey: Omit<Passkey, 'lastUsedAt'>,
): Promise<{ isFirstFactor: boolean } | 'full' | undefined> {
  const { accountId } = passkey;
  const ofAccount = trx.selectFrom('accounts').select('totpSecret').where('id', '=', accountId);
  const { totpSecret } = await ofAccount.forNoKeyUpdate().executeTakeFirstOrThrow();
  const known = await listPasskeys(trx, accountId);
  if (known.some(({ id }) => id === passkey.id)) return undefined;
  if (known.length >= mostPasskeys) return 'full';
  const row = await trx
    .insertInto('passkeys')
    .values(passkey)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id')
    .executeTakeFirst();
  return row && { isFirstFactor: totpSecret === null && known.length === 0 };
}

/** @returns the passkeys of an account, oldest first */
export async function listPasskeys(db: Queryable, accountId: string): Promise<Passkey[]> {
  return db
    .selectFrom('passkeys')
    .select(columns)
    .where('accountId', '=', accountId)
    .orderBy('createdAt')
    .execute();
}

export async function findPasskey(db: Queryable, id: string): Promise<Passkey | undefined> {
  return db.selectFrom('passkeys').select(columns).where('id', '=', id).executeTakeFirst();
}

/**
 * Accepts an answer of the passkey once.
 * @param issuedAt when its challenge was made
 * @returns false if an answer to this challenge or a later one was accepted before
 */
export async function acceptAnswer(
  db: Queryable,
  id: string,
  { counter, issuedAt, now }: { counter: number; issuedAt: Date; now: Date },
): Promise<boolean> {
  const row = await db
    .updateTable('passkeys')
    .set({ counter, challengeAt: issuedAt, lastUsedAt: now })
    .where('id', '=', id)
    .where((eb) => eb.or([eb('challengeAt', 'is', null), eb('challengeAt', '<', issuedAt)]))
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Deletes a passkey, and locks its account. @returns its name, or undefined if the account has no such passkey */
export async function deletePasskey(
  trx: Queryable,
  { id, accountId }: Pick<Passkey, 'id' | 'accountId'>,
): Promise<Pick<Passkey, 'name'> | undefined> {
  await trx.selectFrom('accounts').select('id').where('id', '=', accountId).forNoKeyUpdate().execute();
  return trx
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('accountId', '=', accountId)
    .returning('name')
    .executeTakeFirst();
}
