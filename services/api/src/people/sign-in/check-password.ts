import { type AccountWithSecrets, findAccountByEmail } from '@payments/database/people/accounts';
import type { PeopleContext } from '../../context.ts';
import { type Attempt, countTry, inTurn } from './known-place.ts';
import { isPassword } from './password-hash.ts';

/** After a wrong password, the account is for the record alone: the person must not learn whether there is one. */
export type PasswordVerdict =
  | { waitMs: number }
  | { isRight: true; account: AccountWithSecrets }
  | { isRight: false; account: AccountWithSecrets | undefined };

type Context = Pick<PeopleContext, 'db' | 'now' | 'signInTurns'>;

/** Judges an e-mail and a password. An unknown e-mail takes as long and is refused as a wrong password is. */
export function checkPassword(
  context: Context,
  attempt: Attempt,
  password: string,
): Promise<PasswordVerdict> {
  return inTurn(context, attempt, () => judgePassword(context, attempt, password));
}

async function judgePassword(context: Context, attempt: Attempt, password: string): Promise<PasswordVerdict> {
  const { waitMs, forgive } = await countTry(context, attempt, 'password');
  if (waitMs > 0) return { waitMs };
  const account = await findAccountByEmail(context.db, attempt.email.trim());
  const isRight = await isPassword(password, account?.active ? account.password : null);
  if (!account || !isRight) return { isRight: false, account };
  await forgive();
  return { isRight: true, account };
}
