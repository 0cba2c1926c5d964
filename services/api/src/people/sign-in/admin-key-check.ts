import type { FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import { secretCheck } from '../../access/secrets.ts';
import type { PeopleContext } from '../../context.ts';
import { limitByAddress } from '../../http/address-limit.ts';
import type { Refusal } from './pages.ts';

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
      return waitSeconds === undefined ? { reason: 'Chave de administração inválida.' } : { waitSeconds };
    });
  },
  { name: 'panel-admin-key-check' },
);
