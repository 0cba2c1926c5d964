import { lockForReset, replaceReset } from '@payments/database/accounts/passwords';
import { claimAttempt } from '@payments/database/accounts/sign-in-attempts';
import { type Author, recordChange } from '@payments/database/record/changes';
import { inTransaction } from '@payments/database/transaction';
import { hashOf } from '../../access/secrets.ts';
import type { PeopleContext } from '../../context.ts';
import { networkOf } from '../../http/bounds.ts';
import { newLink } from '../accounts/actions.ts';
import { mailLink } from '../mails/personal-mails.ts';

/** A new password for who forgot it: bounded, and mailed. */

type Context = Pick<PeopleContext, 'adminUrl' | 'db' | 'now' | 'secrets'>;

const validMs = 60 * 60_000;

/** Requests without a wait: a person asks again when a mail is slow, and a whole office shares an address. */
const free = { email: 3, address: 20 };

/**
 * Counts a request, of its address and of its e-mail, whether an account has it or not.
 * @returns the milliseconds to wait; 0 if it may go on
 */
export async function countRequest(
  { db, now }: Pick<Context, 'db' | 'now'>,
  { email, address }: { email: string; address: string },
): Promise<number> {
  const ofAddress = { key: hashOf('forgotten password, address', networkOf(address)), free: free.address };
  const ofEmail = { key: hashOf('forgotten password, e-mail', email.toLowerCase()), free: free.email };
  return claimAttempt(db, [ofAddress, ofEmail], now());
}

/** Mails a link to the account of an e-mail. Does nothing if there is none, or no password opens it. */
export async function mailNewPassword(context: Context, email: string, by: Author): Promise<void> {
  const { db, now } = context;
  const link = newLink(context, validMs);
  await inTransaction(db, async (trx) => {
    const account = await lockForReset(trx, email);
    if (!account) return;
    const { id, storeId, password } = account;
    await replaceReset(trx, id, link);
    await mailLink(trx, context, account, { ...link, hadPassword: password !== null, asked: true });
    await recordChange(trx, by, { action: 'account.reset_asked', at: now(), storeId, subject: id });
  });
}
