import type { FastifyInstance } from 'fastify';
import { limitByAddress } from '../../address-limit.ts';
import { holderOfAdminKey } from '../../authentication/actor.ts';
import { secretCheck } from '../../authentication/secret-check.ts';
import type { ApiContext } from '../../context.ts';
import { textOf } from '../forms/form-values.ts';
import { recordRefusedSignIn, recordSignIn } from './record.ts';
import type { SignIn } from './sign-in.routes.ts';

const failuresAtMost = 10;
const longestName = 100;
const windowMs = 10 * 60_000;

/** The sign-in with `ADMIN_KEY`: for the first account, and for emergencies. */
export async function adminKeySignIn(app: FastifyInstance, context: ApiContext): Promise<SignIn> {
  const checks = context.adminKeys.map(secretCheck);
  // Only wrong keys are counted and limited: a guesser behind the same proxy must not lock out the others.
  const countFailure = await limitByAddress(app, { max: failuresAtMost, windowMs });
  return async (request, reply) => {
    const given = textOf(request.body, 'key');
    if (!checks.map((isKey) => isKey(given)).includes(true)) {
      const waitSeconds = await countFailure(request);
      if (waitSeconds !== undefined) return { waitSeconds };
      recordRefusedSignIn(context, request, { cause: 'admin_key' });
      return { reason: 'Chave de administração inválida.' };
    }
    request.log.warn('ADMIN_KEY opened the panel: prefer an account');
    // Anybody can type any name: it is a remark.
    const name = textOf(request.body, 'name').replaceAll('\0', '').slice(0, longestName) || null;
    await reply.startSession({ accountId: null });
    await recordSignIn(context, request, 'admin_key.used', { author: holderOfAdminKey, reason: name });
    return undefined;
  };
}
