import { fastifyPlugin } from 'fastify-plugin';
import { limitByAddress } from '../address-limit.ts';
import { errors } from '../errors/errors.ts';
import { bearerToken } from './bearer.ts';
import { secretCheck } from './secret-check.ts';

const wrongKeysAtMost = 1_000;

type Options = { adminKey: string; rateLimitPerMinute: number };

/** Requires `Authorization: Bearer $ADMIN_KEY` on every route of its scope (Contract: administration). */
export const adminAuthentication = fastifyPlugin(
  async (app, { adminKey, rateLimitPerMinute }: Options) => {
    const isAdminKey = secretCheck(adminKey);
    // Only wrong keys are counted and limited: a guesser must not lock out an administrator.
    const countFailure = await limitByAddress(app, {
      max: wrongKeysPerMinute(rateLimitPerMinute),
      windowMs: 60_000,
    });
    app.addHook('onRequest', async (request) => {
      const given = bearerToken(request.headers.authorization);
      if (given === undefined) throw errors.tokenMissing();
      if (isAdminKey(given)) return;
      const waitSeconds = await countFailure(request);
      throw waitSeconds === undefined ? errors.adminKeyInvalid() : errors.tooManyRequests(waitSeconds);
    });
  },
  { name: 'admin-authentication' },
);

/** Guessing the admin key is limited even if the stores' limit is off. */
function wrongKeysPerMinute(rateLimitPerMinute: number): number {
  if (rateLimitPerMinute === 0) return wrongKeysAtMost;
  return Math.min(wrongKeysAtMost, Math.ceil(rateLimitPerMinute / 10));
}
