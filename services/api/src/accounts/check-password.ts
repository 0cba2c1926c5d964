import { type AccountWithSecrets, findAccountByEmail } from '@payments/database/people/accounts';
import type { ApiContext } from '../context.ts';
import { type Attempt, countTry } from './known-place.ts';
import { isPassword } from './password-hash.ts';

export type PasswordVerdict =
  | { account: AccountWithSecrets; waitMs?: never; refused?: never }
  | { waitMs: number; account?: never; refused?: never }
  /** `of` is the account with this e-mail, for the record alone: the person must not learn whether there is one. */
  | { refused: true; of: AccountWithSecrets | undefined; account?: never; waitMs?: never };

/** Judges an e-mail and a password. An unknown e-mail takes as long and is refused as a wrong password is. */
export async function checkPassword(
  context: Pick<ApiContext, 'db' | 'now'>,
  attempt: Attempt,
  password: string,
): Promise<PasswordVerdict> {
  const { waitMs, forgive } = await countTry(context, attempt, 'password');
  if (waitMs > 0) return { waitMs };
  const account = await findAccountByEmail(context.db, attempt.email.trim());
  const usable = account?.active ? account : undefined;
  if (!(await isPassword(password, usable?.password ?? null)) || !usable)
    return { refused: true, of: account };
  await forgive();
  return { account: usable };
}
