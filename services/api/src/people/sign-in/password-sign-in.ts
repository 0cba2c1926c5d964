import type { Account } from '@payments/database/people/accounts';
import { listPasskeys } from '@payments/database/people/passkeys';
import { textOf } from '../../administration/kit/form-values.ts';
import type { PeopleContext } from '../../context.ts';
import { attemptOf } from '../sessions/browser-cookie.ts';
import { recordRefusedSignIn } from '../sessions/record.ts';
import { checkPassword } from './check-password.ts';
import { completeSignIn } from './complete-sign-in.ts';
import type { SignIn } from './pages.ts';

/** The sign-in with e-mail and password. */
export function passwordSignIn(context: PeopleContext): SignIn {
  return async (request, reply) => {
    const attempt = attemptOf(request, textOf(request.body, 'email').replaceAll('\0', ''));
    const recordRefusal = (account: Account | undefined, cause: string) =>
      recordRefusedSignIn(context, request, { account, cause });
    const verdict = await checkPassword(context, attempt, textOf(request.body, 'password'));
    if ('waitMs' in verdict) return { waitSeconds: Math.ceil(verdict.waitMs / 1_000) };
    const { isRight, account } = verdict;
    if (!isRight) {
      recordRefusal(account, !account ? 'no_account' : account.active ? 'password' : 'inactive');
      return { reason: 'E-mail ou senha incorretos.' };
    }
    if (account.totpSecret !== null) {
      await reply.startSession({ accountId: account.id, complete: false });
      return 'second_factor';
    }
    // Its passkey is the second factor: who only guessed the password must not get in.
    if ((await listPasskeys(context.db, account.id)).length > 0) {
      recordRefusal(account, 'second_factor');
      return { reason: 'Esta conta entra com chave de acesso.' };
    }
    await completeSignIn(context, reply, account);
    return undefined;
  };
}
