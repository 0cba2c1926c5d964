import type { Account } from '@payments/database/people/accounts';
import { listPasskeys } from '@payments/database/people/passkeys';
import { checkPassword } from '../../accounts/check-password.ts';
import type { ApiContext } from '../../context.ts';
import { textOf } from '../forms/form-values.ts';
import { attemptOf } from './browser-cookie.ts';
import { completeSignIn } from './complete-sign-in.ts';
import { recordSignIn } from './record.ts';
import type { SignIn } from './sign-in.routes.ts';

/** The sign-in with e-mail and password. */
export function passwordSignIn(context: ApiContext): SignIn {
  return async (request, reply) => {
    const attempt = attemptOf(request, textOf(request.body, 'email').replaceAll('\0', ''));
    const recordRefusal = (account: Account, cause: string) =>
      recordSignIn(context, request, 'sign_in_refused', { account, to: { name: account.name, cause } });
    const verdict = await checkPassword(context, attempt, textOf(request.body, 'password'));
    if ('waitMs' in verdict) return { waitSeconds: Math.ceil(verdict.waitMs / 1_000) };
    const { isRight, account } = verdict;
    if (!isRight) {
      // Anybody can try e-mails that nobody has, and would fill a record that nobody can shorten. The answer does not
      // wait for the record: its time would tell which e-mails have accounts.
      if (account)
        void recordRefusal(account, account.active ? 'password' : 'inactive').catch((error: unknown) =>
          request.log.error({ err: error }, 'a refused sign-in is not in the record'),
        );
      return { reason: 'E-mail ou senha incorretos.' };
    }
    if (account.totpSecret !== null) {
      await reply.startSession({ accountId: account.id, complete: false });
      return 'second_factor';
    }
    // Its passkey is the second factor: who only guessed the password must not get in.
    if ((await listPasskeys(context.db, account.id)).length > 0) {
      await recordRefusal(account, 'second_factor');
      return { reason: 'Esta conta entra com chave de acesso.' };
    }
    await completeSignIn(context, reply, account);
    return undefined;
  };
}
