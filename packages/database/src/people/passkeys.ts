import type { Queryable } from '../connection.ts';
import { changeOnRecord } from '../operations/changes.ts';
import type { Selected } from '../schema.ts';
import type { OnOwnAccount } from './accounts.ts';

const columns = ['id', 'accountId', 'publicKey', 'counter', 'name', 'createdAt', 'lastUsedAt'] as const;

/** A passkey of an account; the private key never leaves the person's device. */
export type Passkey = Selected<'passkeys', typeof columns>;

/** Does nothing if the passkey is known. */
export async function insertPasskey(
  db: Queryable,
  passkey: Omit<Passkey, 'createdAt' | 'lastUsedAt'>,
  { by, now: at, storeId }: OnOwnAccount,
): Promise<void> {
  await changeOnRecord(db, by, async (trx) => {
    const row = await trx
      .insertInto('passkeys')
      .values({ ...passkey, createdAt: at })
      .onConflict((conflict) => conflict.doNothing())
      .returning('id')
      .executeTakeFirst();
    const { accountId: subject, name } = passkey;
    return row && { action: 'account.passkey_added', at, storeId, subject, to: { name } };
  });
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

/** Does nothing if the account has no such passkey. */
export async function deletePasskey(
  db: Queryable,
  { id, accountId }: { id: string; accountId: string },
  { by, now: at, storeId }: OnOwnAccount,
): Promise<void> {
  await changeOnRecord(db, by, async (trx) => {
    const row = await trx
      .deleteFrom('passkeys')
      .where('id', '=', id)
      .where('accountId', '=', accountId)
      .returning('name')
      .executeTakeFirst();
    return row && { action: 'account.passkey_removed', at, storeId, subject: accountId, from: row };
  });
}
