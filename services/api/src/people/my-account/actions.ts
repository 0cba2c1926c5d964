import {
  type AccountWithSecrets,
  findAccountWithSecrets,
  type Account as StoredAccount,
} from '@payments/database/accounts/accounts';
import { deletePasskey, insertPasskey } from '@payments/database/accounts/passkeys';
import { setPassword } from '@payments/database/accounts/passwords';
import { removeSecondFactor, setSecondFactor } from '@payments/database/accounts/second-factor';
import { deleteSessions, holdSession } from '@payments/database/accounts/sessions';
import type { Queryable } from '@payments/database/connection';
import { type Author, changeOnRecord } from '@payments/database/record/changes';
import type { NoticeKind } from '@payments/notices/kinds';
import type { WebAuthnCredential } from '@simplewebauthn/server';
import type { Actor } from '../../access/actor.ts';
import type { PeopleContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';
import { decideOnAccount } from '../accounts/actions.ts';
import { tellAccess } from '../mails/personal-mails.ts';
import { newRecoveryCodes, recoveryCodeHash, seal } from '../second-factor/actions.ts';

/** Actions of people on their own account: password, second factor, passkeys, sessions. */

type Context = Pick<PeopleContext, 'db' | 'now'>;

/** The account of a person, or of the holder of `ADMIN_KEY`, who has none. */
type Own = Pick<Actor, 'id' | 'storeId'>;
type Account = Pick<AccountWithSecrets, 'id' | 'name' | 'email' | 'storeId'>;

/** @throws ApiError 404 for the holder of `ADMIN_KEY`, who has no account */
export async function ownAccount(
  { db }: Pick<Context, 'db'>,
  { id }: Pick<Actor, 'id'>,
): Promise<AccountWithSecrets> {
  const account = id === null ? undefined : await findAccountWithSecrets(db, id);
  if (!account) throw errors.accountNotFound();
  return account;
}

/**
 * Sets another password, and ends every session of the account but the given one.
 * @param account with the password that the person has just typed
 * @param password its hash
 * @throws ApiError 403 if it has another password by now, or the given session has ended
 */
export async function changePassword(
  { db, now }: Context,
  account: AccountWithSecrets,
  { password, session, by }: { password: string; session: string; by: Author },
): Promise<void> {
  const at = now();
  const { id, storeId } = account;
  await changeOnRecord(db, by, async (trx) => {
    if (!(await setPassword(trx, id, password, account.password))) throw errors.formExpired();
    if (!(await holdSession(trx, session))) throw errors.formExpired();
    await deleteSessions(trx, id, { except: session });
    await tellAccess(trx, account, { change: 'password' }, { by, at });
    return { action: 'account.password_set', at, storeId, subject: id };
  });
}

/**
 * Turns the second factor on, and ends every session but the given one: they began with the password alone.
 * @param secret the app's secret, and the time step of its first accepted code
 * @returns the recovery codes, which are never shown again
 * @throws ApiError 403 if the given session has ended
 */
export async function turnOnSecondFactor(
  { db, now, sealingKeys }: Pick<PeopleContext, 'db' | 'now' | 'sealingKeys'>,
  account: Account,
  { secret, step, session, by }: { secret: Buffer; step: number; session: string; by: Author },
): Promise<string[]> {
  const at = now();
  const { id, storeId } = account;
  const codes = newRecoveryCodes();
  const hashes = codes.map((code) => recoveryCodeHash(id, code));
  await changeOnRecord(db, by, async (trx) => {
    await setSecondFactor(trx, id, { secret: seal(secret, id, sealingKeys), step, codes: hashes });
    if (!(await holdSession(trx, session))) throw errors.formExpired();
    await deleteSessions(trx, id, { except: session });
    await tellAccess(trx, account, { change: 'second_factor_on' }, { by, at });
    return { action: 'account.second_factor_on', at, storeId, subject: id };
  });
  return codes;
}

/**
 * Turns the second factor off, with its recovery codes. Does nothing if it is off.
 * @throws ApiError 403 if the given session has ended
 */
export async function turnOffSecondFactor(
  { db, now }: Context,
  account: Account,
  { session, by }: { session: string; by: Author },
): Promise<void> {
  const at = now();
  const { id, storeId } = account;
  await changeOnRecord(db, by, async (trx) => {
    if (!(await removeSecondFactor(trx, id))) return undefined;
    if (!(await holdSession(trx, session))) throw errors.formExpired();
    await tellAccess(trx, account, { change: 'second_factor_off' }, { by, at });
    return { action: 'account.second_factor_off', at, storeId, subject: id };
  });
}

/**
 * Adds a passkey. Does nothing if it is known. The account's first factor ends every session but the given one: they
 * began with the password alone.
 * @param name the browser that made it
 * @throws ApiError 403 if the given session has ended: whoever reset the account would not expect this passkey; 409 if
 *   the account has too many
 */
export async function addPasskey(
  { db, now }: Context,
  account: Account,
  { passkey, name, session, by }: { passkey: WebAuthnCredential; name: string; session: string; by: Author },
): Promise<void> {
  const at = now();
  const { id: accountId, storeId } = account;
  const { id, publicKey, counter } = passkey;
  await changeOnRecord(db, by, async (trx) => {
    const row = { id, accountId, publicKey: Buffer.from(publicKey), counter, name, createdAt: at };
    const added = await insertPasskey(trx, row);
    if (!(await holdSession(trx, session))) throw errors.formExpired();
    if (!added) return undefined;
    if (added === 'full') throw errors.tooManyPasskeys();
    if (added.isFirstFactor) await deleteSessions(trx, accountId, { except: session });
    await tellAccess(trx, account, { change: 'passkey_added' }, { by, at });
    return { action: 'account.passkey_added', at, storeId, subject: accountId, to: { name } };
  });
}

/**
 * Removes a passkey. Does nothing if the account has no such passkey.
 * @throws ApiError 403 if the given session has ended
 */
export async function removePasskey(
  { db, now }: Context,
  account: Account,
  { id, session, by }: { id: string; session: string; by: Author },
): Promise<void> {
  const at = now();
  const { id: accountId, storeId } = account;
  await changeOnRecord(db, by, async (trx) => {
    const from = await deletePasskey(trx, { id, accountId });
    if (!from) return undefined;
    if (!(await holdSession(trx, session))) throw errors.formExpired();
    await tellAccess(trx, account, { change: 'passkey_removed' }, { by, at });
    return { action: 'account.passkey_removed', at, storeId, subject: accountId, from };
  });
}

/**
 * Ends sessions of one account, or of `ADMIN_KEY`. Does nothing if there are none.
 * @param which one of them, all but one, or all
 */
export async function endSessions(
  { db, now }: Context,
  { id, storeId }: Own,
  which: { id: string } | { except: string } | 'all',
  by: Author,
): Promise<void> {
  const at = now();
  await changeOnRecord(db, by, async (trx) => {
    const sessions = await deleteSessions(trx, id, which === 'all' ? {} : which);
    if (sessions === 0) return undefined;
    const subject = id === null ? {} : { subject: id };
    return { action: 'account.sessions_ended', at, storeId, ...subject, to: { sessions } };
  });
}

/** Chooses the notices that a person gets by e-mail. @param notices null for those of the role */
export async function chooseNotices(
  context: Context,
  { id }: Pick<Account, 'id'>,
  notices: NoticeKind[] | null,
  by: Author,
): Promise<void> {
  const decide = async (_trx: Queryable, account: StoredAccount) => ({ ...account, notices });
  await decideOnAccount(context, id, decide, { by });
}
