import type { Queryable } from '../connection.ts';
import { type Account, type AccountWithSecrets, accountColumns, withoutLinks } from './accounts.ts';

/** Links that set a password, each once: an owner's invitation, and the one that a person asked for. */

/** @returns the account of a link that was not used and has not expired; none for an inactive account */
export async function findInvited(db: Queryable, hash: Buffer, now: Date): Promise<Account | undefined> {
  return ofLink(db, hash, now).select(accountColumns).executeTakeFirst();
}

function ofLink(db: Queryable, hash: Buffer, now: Date) {
  return db
    .selectFrom('accounts')
    .where((eb) =>
      eb.or([
        eb.and([eb('invitationHash', '=', hash), eb('invitationUntil', '>', now)]),
        eb.and([eb('resetHash', '=', hash), eb('resetUntil', '>', now)]),
      ]),
    )
    .where('active', '=', true);
}

/** An account as it was before its link was used. */
export type InvitedBefore = Account & {
  /** Whether the person had a way in: a password, or single sign-on. */
  hadWayIn: boolean;
  /** Whether it is the invitation, which an owner made; else the person asked for the link. */
  isInvitation: boolean;
};

/**
 * Uses a link up and sets the password. Every other link of the account ends, too.
 * @returns undefined if the link was used before or has expired
 */
export async function useInvitation(
  trx: Queryable,
  hash: Buffer,
  { password, now }: { password: string; now: Date },
): Promise<InvitedBefore | undefined> {
  const row = await ofLink(trx, hash, now)
    .select([...accountColumns, 'password', 'subject', 'invitationHash'])
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) return undefined;
  const { password: before, subject, invitationHash, ...account } = row;
  await setPassword(trx, account.id, password);
  return {
    ...account,
    hadWayIn: before !== null || subject !== null,
    isInvitation: invitationHash?.equals(hash) ?? false,
  };
}

/**
 * Sets another password. A link that somebody asked for before must not undo it.
 * @param was the one that its person has just typed; null where a link is proof enough
 * @returns false if that is another one by now
 */
export async function setPassword(
  trx: Queryable,
  id: string,
  password: string,
  was: string | null = null,
): Promise<boolean> {
  const update = trx
    .updateTable('accounts')
    .set({ password, ...withoutLinks })
    .where('id', '=', id);
  const row = await (was === null ? update : update.where('password', '=', was))
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Replaces the link that a person asked for. The invitation goes on working: whoever knows an e-mail can't end it. */
export async function replaceReset(
  trx: Queryable,
  id: string,
  { hash, until }: { hash: Buffer; until: Date },
): Promise<void> {
  await trx
    .updateTable('accounts')
    .set({ resetHash: hash, resetUntil: until })
    .where('id', '=', id)
    .execute();
}

/**
 * Finds and locks the account of an e-mail, in any case.
 * @returns undefined for one that no password opens: an inactive one, and one of the single sign-on
 */
export async function lockForReset(
  trx: Queryable,
  email: string,
): Promise<Pick<AccountWithSecrets, 'id' | 'name' | 'email' | 'storeId' | 'password'> | undefined> {
  return trx
    .selectFrom('accounts')
    .select(['id', 'name', 'email', 'storeId', 'password'])
    .where((eb) => eb(eb.fn('lower', ['email']), '=', eb.fn('lower', [eb.val(email)])))
    .where('active', '=', true)
    .where((eb) => eb.or([eb('password', 'is not', null), eb('subject', 'is', null)]))
    .forNoKeyUpdate()
    .executeTakeFirst();
}
