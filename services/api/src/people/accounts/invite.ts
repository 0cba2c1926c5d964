import type { Author } from '@payments/database/operations/changes';
import { inviteAccount } from '@payments/database/people/account-changes';
import { type Account, insertAccount } from '@payments/database/people/accounts';
import { newId } from '@payments/domain/identifiers';
import { storeOr404 } from '../../access/own.ts';
import { newSecretToken } from '../../access/secrets.ts';
import type { PeopleContext } from '../../context.ts';
import { errors } from '../../http/errors/errors.ts';

type Context = Pick<PeopleContext, 'adminUrl' | 'db' | 'now'>;

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
  const { url, invitation } = newInvitation(context);
  const account = { id: newId(), ...request, createdAt, ...invitation };
  const made = await insertAccount(context.db, account, by);
  if (!made) throw errors.emailTaken();
  return { ...made, invitationUrl: url };
}

/**
 * Makes a new invitation, for a person who lost the link, the password or the second factor.
 * @throws ApiError 404 for an unknown account
 */
export async function inviteAgain(context: Context, id: string, by: Author): Promise<InvitedAccount> {
  const { url, invitation } = newInvitation(context);
  const account = await inviteAccount(context.db, id, invitation, { by, now: context.now() });
  if (!account) throw errors.accountNotFound();
  return { ...account, invitationUrl: url };
}

function newInvitation({ adminUrl, now }: Context) {
  const { token, hash } = newSecretToken();
  const url = `${adminUrl.replace(/\/$/, '')}/panel/invitation/${token}`;
  const invitationUntil = new Date(now().getTime() + invitationMs);
  return { url, invitation: { invitationHash: hash, invitationUntil } };
}
