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
    const verdict = await checkPassword(context, attempt, textOf(request.body, 'password'));
    if (verdict.waitMs !== undefined) return { waitSeconds: Math.ceil(verdict.waitMs / 1_000) };
    if (verdict.refused) {
      const cause = verdict.of?.active === false ? 'inactive' : 'password';
      // Anybody can try e-mails that nobody has, and would fill a record that nobody can shorten.
      if (verdict.of)
        await recordSignIn(context, request, 'sign_in_refused', { account: verdict.of, to: { cause } });
      return { reason: 'E-mail ou senha incorretos.' };
    }
    const { account } = verdict;
    if (account.totpSecret !== null) {
      await reply.startSession({ accountId: account.id, complete: false });
      return 'second_factor';
    }
    await completeSignIn(context, reply, account);
    return undefined;
  };
}
