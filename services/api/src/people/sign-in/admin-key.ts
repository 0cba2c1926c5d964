import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import { holderOfAdminKey } from '../../access/actor.ts';
import { secretCheck } from '../../access/secrets.ts';
import { textOf } from '../../administration/kit/form-values.ts';
import type { PeopleContext } from '../../context.ts';
import { limitByAddress } from '../../http/bounds.ts';
import { isAdminKeyShut } from '../sessions/sessions.ts';
import { recordRefusedSignIn, recordSignIn } from './known-place.ts';
import type { SignIn } from './page.ts';
import type { Refusal } from './passwords.ts';

declare module 'fastify' {
  interface FastifyInstance {
    /** @returns the refusal of a wrong `ADMIN_KEY`, or undefined for the right one */
    refusedAdminKey(request: FastifyRequest, given: string): Promise<Refusal | undefined>;
  }
}

const failuresAtMost = 10;
const windowMs = 10 * 60_000;

/** Judges `ADMIN_KEY`, typed at the sign-in or as a proof: guesses at both share one limit. */
export const adminKeyCheck = fastifyPlugin(
  async (app, { context }: { context: Pick<PeopleContext, 'adminKeys'> }) => {
    const checks = context.adminKeys.map(secretCheck);
    // Only wrong keys are counted and limited: a guesser behind the same proxy must not lock out the others.
    const countFailure = await limitByAddress(app, { max: failuresAtMost, windowMs });
    app.decorate('refusedAdminKey', async (request: FastifyRequest, given: string) => {
      if (checks.map((isKey) => isKey(given)).includes(true)) return undefined;
      const waitSeconds = await countFailure(request);
      return waitSeconds === undefined
        ? { reason: 'Chave de administração inválida.' }
        : { waitMs: 1_000 * waitSeconds };
    });
  },
  { name: 'panel-admin-key-check' },
);

const longestName = 100;

/** The sign-in with `ADMIN_KEY`: for the first account, and for emergencies. */
export function adminKeySignIn(app: FastifyInstance, context: PeopleContext): SignIn {
  return async (request, reply) => {
    const refusal = await app.refusedAdminKey(request, textOf(request.body, 'key'));
    if (refusal && 'reason' in refusal) void recordRefusedSignIn(context, request, { cause: 'admin_key' });
    if (refusal) return refusal;
    if (await isAdminKeyShut(context)) {
      void recordRefusedSignIn(context, request, { cause: 'second_factor' });
      return {
        reason:
          'O painel pede um segundo fator, que a chave de administração não tem. Entre com a sua conta.',
      };
    }
    request.log.warn('ADMIN_KEY opened the panel: prefer an account');
    // Anybody can type any name: it is a remark.
    const name = textOf(request.body, 'name').replaceAll('\0', '').slice(0, longestName) || null;
    await reply.startSession({ judged: null });
    await recordSignIn(context, request, 'admin_key.used', { author: holderOfAdminKey, reason: name });
    return undefined;
  };
}
