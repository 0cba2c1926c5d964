import type { FastifyInstance } from 'fastify';
import { holderOfAdminKey } from '../../access/actor.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import type { PeopleContext } from '../../context.ts';
import { recordRefusedSignIn, recordSignIn } from '../sessions/record.ts';
import { isAdminKeyShut } from '../sessions/require-factor.ts';
import type { SignIn } from './pages.ts';

const longestName = 100;

/** The sign-in with `ADMIN_KEY`: for the first account, and for emergencies. */
export function adminKeySignIn(app: FastifyInstance, context: PeopleContext): SignIn {
  return async (request, reply) => {
    const refusal = await app.refusedAdminKey(request, textOf(request.body, 'key'));
    if (refusal && 'reason' in refusal) recordRefusedSignIn(context, request, { cause: 'admin_key' });
    if (refusal) return refusal;
    if (await isAdminKeyShut(context)) {
      recordRefusedSignIn(context, request, { cause: 'second_factor' });
      return {
        reason:
          'O painel pede um segundo fator, que a chave de administração não tem. Entre com a sua conta.',
      };
    }
    request.log.warn('ADMIN_KEY opened the panel: prefer an account');
    // Anybody can type any name: it is a remark.
    const name = textOf(request.body, 'name').replaceAll('\0', '').slice(0, longestName) || null;
    await reply.startSession({ accountId: null });
    await recordSignIn(context, request, 'admin_key.used', { author: holderOfAdminKey, reason: name });
    return undefined;
  };
}
