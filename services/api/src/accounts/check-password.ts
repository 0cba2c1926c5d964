import { type AccountWithSecrets, findAccountByEmail } from '@payments/database/people/accounts';
import { claimAttempt, forgiveAttempt, knownPlaces } from '@payments/database/people/sign-in-attempts';
import type { ApiContext } from '../context.ts';
import { type Attempt, countersOf, placesOf } from './known-place.ts';
import { isPassword } from './password-hash.ts';

export type PasswordVerdict =
  | { account: AccountWithSecrets; waitMs?: never; refused?: never }
  | { waitMs: number; account?: never; refused?: never }
  /** `of` is the account with this e-mail, for the record alone: the person must not learn whether there is one. */
  | { refused: true; of: AccountWithSecrets | undefined; account?: never; waitMs?: never };

/** Judges an e-mail and a password. An unknown e-mail takes as long and is refused as a wrong password is. */
export async function checkPassword(
  { db, now }: Pick<ApiContext, 'db' | 'now'>,
  attempt: Attempt,
  password: string,
): Promise<PasswordVerdict> {
  const { address, browser } = placesOf(attempt);
  const known = await knownPlaces(db, browser ? [address, browser] : [address]);
  const { own, shared } = countersOf(attempt, known, 'password');
  const waitMs = await claimAttempt(db, shared ? [own, shared] : [own], now());
  if (waitMs > 0) return { waitMs };
  const account = await findAccountByEmail(db, attempt.email.trim());
  const usable = account?.active ? account : undefined;
  if (!(await isPassword(password, usable?.password ?? null)) || !usable)
    return { refused: true, of: account };
  await forgiveAttempt(db, { forgiven: own.key, shared: shared?.key }, now());
  return { account: usable };
}
