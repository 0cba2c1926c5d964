import {
  type Account,
  insertAccount,
  lockAccountAndOwners,
  type NewAccount,
  replaceInvitation,
  updateAccountFields,
} from '@payments/database/accounts/accounts';
import {
  findInvited,
  lockForReset,
  replaceReset,
  useInvitation,
} from '@payments/database/accounts/passwords';
import { hasFactor, removeFactors } from '@payments/database/accounts/second-factor';
import { deleteSessions } from '@payments/database/accounts/sessions';
import { claimAttempt } from '@payments/database/accounts/sign-in-attempts';
import type { Queryable } from '@payments/database/connection';
import { type Author, differences, recordChange } from '@payments/database/record/changes';
import { findStore } from '@payments/database/stores/stores';
import { inTransaction } from '@payments/database/transaction';
import { newId } from '@payments/domain/identifiers';
import type { Role } from '@payments/domain/roles';
import { kindsOf } from '@payments/notices/kinds';
import type { AccessChange } from '@payments/notices/personal';
import { type Actor, storeOr404 } from '../../access/actor.ts';
import { hashOf, newSecretToken } from '../../access/secrets.ts';
import type { PeopleContext } from '../../context.ts';
import { networkOf } from '../../http/bounds.ts';
import { errors } from '../../http/errors/errors.ts';
import { type Link, mailLink, tellAccess } from '../mails/personal-mails.ts';
import { readNoticeKinds, roleAfter } from './fields.ts';

/** Actions of owners on people's accounts: make, invite, change; and an invited person's, to set the password. */

type Context = Pick<PeopleContext, 'adminUrl' | 'db' | 'now' | 'secrets'>;

export type AccountRequest = Pick<Account, 'name' | 'email' | 'role' | 'storeId'>;

/** An account with the link that sets its password. */
export type InvitedAccount = Account & { invitationUrl: string };

const invitationMs = 72 * 60 * 60_000;

/**
 * Makes an account.
 * @returns the account with its invitation, which is never shown again
 * @throws ApiError 404 for an unknown store, 409 for an e-mail that another account has
 */
export async function createAccount(
  context: Context,
  request: AccountRequest,
  by: Author,
): Promise<InvitedAccount> {
  if (request.storeId !== null) await storeOr404(context, { storeId: null }, request.storeId);
  const createdAt = context.now();
  const link = newLink(context, invitationMs);
  const account = { id: newId(), ...request, createdAt, ...invitationOf(link) };
  const told = { ...link, hadPassword: false, asked: false };
  const made = await addAccount(context, account, by, (trx) => mailLink(trx, context, account, told));
  if (!made) throw errors.emailTaken();
  return { ...made, invitationUrl: link.url };
}

/**
 * Adds an account, invited or of the single sign-on.
 * @param tell tells the person, in the same transaction
 * @returns undefined if another account has the e-mail, in any case
 */
export async function addAccount(
  { db }: Pick<Context, 'db'>,
  account: NewAccount,
  by: Author,
  tell?: (trx: Queryable) => Promise<void>,
): Promise<Account | undefined> {
  const { id, name, role, storeId, createdAt: at } = account;
  return inTransaction(db, async (trx) => {
    const added = await insertAccount(trx, account);
    if (!added) return undefined;
    // The record outlives the person's data, so it names no e-mail.
    const to = { name, role, storeId, ...('issuer' in account && { issuer: account.issuer }) };
    await recordChange(trx, by, { action: 'account.created', at, storeId, subject: id, to });
    await tell?.(trx);
    return added;
  });
}

/**
 * Makes a new invitation, the only one that works, for a person who lost the link, the password or the second factor.
 * @throws ApiError 404 for an unknown account
 */
export async function inviteAgain(context: Context, id: string, by: Author): Promise<InvitedAccount> {
  const at = context.now();
  const link = newLink(context, invitationMs);
  return inTransaction(context.db, async (trx) => {
    const replaced = await replaceInvitation(trx, id, invitationOf(link));
    if (!replaced) throw errors.accountNotFound();
    const { hadPassword, ...account } = replaced;
    await recordChange(trx, by, { action: 'account.invited', at, storeId: account.storeId, subject: id });
    if (account.active) await mailLink(trx, context, account, { ...link, hadPassword, asked: false });
    return { ...account, invitationUrl: link.url };
  });
}

/** @returns a link that sets a password, once, and its token's hash, the only form that is stored */
export function newLink(
  { adminUrl, now }: Pick<Context, 'adminUrl' | 'now'>,
  validMs: number,
): Link & { hash: Buffer } {
  const { token, hash } = newSecretToken();
  const url = `${adminUrl.replace(/\/$/, '')}/panel/invitation/${token}`;
  return { url, hash, until: new Date(now().getTime() + validMs) };
}

const invitationOf = ({ hash, until }: ReturnType<typeof newLink>) => ({
  invitationHash: hash,
  invitationUntil: until,
});

/** @throws ApiError 404 for an invitation that was used or has expired, and for an inactive account */
export async function invitedAccount(
  { db, now }: Pick<Context, 'db' | 'now'>,
  token: string,
): Promise<Account> {
  const account = await findInvited(db, hashOf(token), now());
  if (!account) throw errors.invitationNotFound();
  return account;
}

/**
 * Uses a link: sets the password and ends every session. An invitation also removes the second factor and the passkeys:
 * an owner made it for who lost them. A link that anybody may ask for leaves them, or a mailbox alone would open the
 * account.
 * @param password its hash
 * @returns whether the person still has to prove a second factor
 * @throws ApiError 404 if it was used meanwhile, has expired, or a newer one was made
 */
export async function acceptInvitation(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { token, password }: { token: string; password: string },
  by: Author,
): Promise<{ needsFactor: boolean }> {
  const at = now();
  return inTransaction(db, async (trx) => {
    const account = await useInvitation(trx, hashOf(token), { password, now: at });
    if (!account) throw errors.invitationNotFound();
    const { id, storeId, hadWayIn, isInvitation } = account;
    await recordChange(trx, by, { action: 'account.password_set', at, storeId, subject: id });
    if (hadWayIn) await tellAccess(trx, account, { change: 'password' }, { by, at });
    if (isInvitation) await takeFactors(trx, account, { by, at });
    else await deleteSessions(trx, id);
    return { needsFactor: !isInvitation && (await hasFactor(trx, id)) };
  });
}

/** Takes an account's factors away, each on record and told to its person, and ends its sessions. */
async function takeFactors(
  trx: Queryable,
  account: Account,
  { by, at }: { by: Author; at: Date },
): Promise<void> {
  const { id, storeId } = account;
  const { hadApp, passkeys } = await removeFactors(trx, id);
  const of = { at, storeId, subject: id };
  if (hadApp) {
    await recordChange(trx, by, { action: 'account.second_factor_off', ...of });
    await tellAccess(trx, account, { change: 'second_factor_off' }, { by, at });
  }
  for (const from of passkeys) {
    await recordChange(trx, by, { action: 'account.passkey_removed', ...of, from });
    await tellAccess(trx, account, { change: 'passkey_removed' }, { by, at });
  }
}

/** Undefined keeps what the account has. */
export type AccountChange = {
  name?: string | undefined;
  role?: Role | undefined;
  storeId?: string | undefined;
  active?: boolean | undefined;
  /** Null for those of the role. */
  notices?: readonly unknown[] | null | undefined;
};

/**
 * Changes an account.
 * @param changeOf returns the fields to change, given the account that nobody else changes meanwhile
 * @throws ApiError 400, 404 or 409; the last active owner goes only by `ADMIN_KEY`, which can make another
 */
export async function changeAccount(
  context: Pick<Context, 'db' | 'now'>,
  id: string,
  changeOf: (account: Account) => AccountChange,
  { actor, by }: { actor: Actor; by: Author },
): Promise<Account> {
  const decide: Decide = async (trx, account, isLastOwner) => {
    const change = changeOf(account);
    const { name = account.name, active = account.active } = change;
    const role = roleAfter(account, change);
    const notices =
      change.notices === undefined ? account.notices : readNoticeKinds(change.notices, role.role);
    const to = { ...account, name, active, notices, ...role };
    if (to.storeId !== null) await storeOr404({ db: trx }, actor, to.storeId);
    if (isLastOwner && !isActiveOwner(to) && actor.kind !== 'admin_key') throw errors.lastOwner();
    return to;
  };
  const changed = await decideOnAccount(context, id, decide, { by });
  if (!changed) throw errors.accountNotFound();
  return changed;
}

/** @returns an account as it is shown: with the kinds of notices that the person gets */
export function accountView<Shown extends Account>(account: Shown) {
  return { ...account, notices: kindsOf(account) };
}

/** Returns the account after the change, given the locked one, and whether no other active owner is left. */
type Decide = (trx: Queryable, account: Account, isLastOwner: boolean) => Promise<Account>;

/** `byGroups`: the groups of the single sign-on decide, and no person. */
type Decider = { by: Author; byGroups?: boolean };

const isActiveOwner = ({ role, active }: Account) => role === 'owner' && active;

/**
 * Changes an account by a decision on the locked one. Another role or store, or a deactivation, ends every session of the
 * account: a session never has rights that were taken away.
 * @returns the account after the change, or undefined if there is none
 */
export async function decideOnAccount(
  { db, now }: Pick<Context, 'db' | 'now'>,
  id: string,
  decide: Decide,
  decider: Decider,
): Promise<Account | undefined> {
  const at = now();
  return inTransaction(db, async (trx) => {
    const locked = await lockAccountAndOwners(trx, id);
    const account = locked.find((one) => one.id === id);
    if (!account) return undefined;
    const isLastOwner = isActiveOwner(account) && locked.filter(isActiveOwner).length === 1;
    const to = await decide(trx, account, isLastOwner);
    await writeChange(trx, { before: account, after: to, at }, decider);
    return to;
  });
}

async function writeChange(
  trx: Queryable,
  { before, after, at }: { before: Account; after: Account; at: Date },
  { by, byGroups = false }: Decider,
): Promise<void> {
  const { from, to } = differences(before, after);
  const changed = Object.keys(to);
  if (changed.length === 0) return;
  const { id, storeId } = after;
  // A role that a person gives stays, whatever the groups say later.
  const isRole = changed.some((one) => one === 'role' || one === 'storeId');
  await updateAccountFields(trx, id, { ...to, ...(isRole && { roleFromGroups: byGroups }) });
  if (changed.some((one) => one !== 'name' && one !== 'notices')) await deleteSessions(trx, id);
  // Nobody of a store sees which other store a person was of.
  const recordOf = before.storeId !== null && before.storeId !== storeId ? null : storeId;
  await recordChange(trx, by, { action: 'account.changed', at, storeId: recordOf, subject: id, from, to });
  for (const change of await accessChanges(trx, before, after))
    await tellAccess(trx, after, change, { by: { ...by, id: null }, at });
}

/** @returns what the person is told of: another name or choice of notices is nothing of that */
async function accessChanges(trx: Queryable, before: Account, after: Account): Promise<AccessChange[]> {
  const { role, storeId, active } = after;
  const store = storeId === null ? undefined : await findStore(trx, storeId);
  const changes: [boolean, AccessChange][] = [
    [
      before.role !== role || before.storeId !== storeId,
      { change: 'role', role, store: store?.name ?? null },
    ],
    [before.active !== active, { change: 'active', active }],
  ];
  return changes.flatMap(([isChanged, change]) => (isChanged ? [change] : []));
}

/** A new password for who forgot it: bounded, and mailed. */

const resetValidMs = 60 * 60_000;

/** Requests without a wait: a person asks again when a mail is slow, and a whole office shares an address. */
const freeRequests = { email: 3, address: 20 };

/**
 * Counts a request, of its address and of its e-mail, whether an account has it or not.
 * @returns the milliseconds to wait; 0 if it may go on
 */
export async function countRequest(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { email, address }: { email: string; address: string },
): Promise<number> {
  const ofAddress = {
    key: hashOf('forgotten password, address', networkOf(address)),
    free: freeRequests.address,
  };
  const ofEmail = {
    key: hashOf('forgotten password, e-mail', email.toLowerCase()),
    free: freeRequests.email,
  };
  return claimAttempt(db, [ofAddress, ofEmail], now());
}

/** Mails a link to the account of an e-mail. Does nothing if there is none, or no password opens it. */
export async function mailNewPassword(context: Context, email: string, by: Author): Promise<void> {
  const { db, now } = context;
  const link = newLink(context, resetValidMs);
  await inTransaction(db, async (trx) => {
    const account = await lockForReset(trx, email);
    if (!account) return;
    const { id, storeId, password } = account;
    await replaceReset(trx, id, link);
    await mailLink(trx, context, account, { ...link, hadPassword: password !== null, asked: true });
    await recordChange(trx, by, { action: 'account.reset_asked', at: now(), storeId, subject: id });
  });
}
