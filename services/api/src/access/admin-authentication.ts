import { findKey, recordKeyUse } from '@payments/database/accounts/keys';
import { hasKeyForm, tokenHash } from '@payments/domain/tokens';
import type { FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import type { PeopleContext } from '../context.ts';
import { limitGuesses } from '../http/address-limit.ts';
import { errors } from '../http/errors/errors.ts';
import { type Actor, holderOfAdminKey } from './actor.ts';
import { bearerToken, secretCheck } from './secrets.ts';

const wrongKeysAtMost = 1_000;

type Context = Pick<PeopleContext, 'adminKeys' | 'db' | 'now' | 'rateLimitPerMinute'>;

/**
 * Requires a program's key, or `ADMIN_KEY`, as `Authorization: Bearer` on every route of its scope (Contract:
 * administration). Keys are read at every request: a deleted one fails from the next on.
 */
export const adminAuthentication = fastifyPlugin(
  async (app, { context }: { context: Context }) => {
    const { db, now, adminKeys, rateLimitPerMinute } = context;
    const isAdminKey = adminKeys.map(secretCheck);
    // Only wrong keys are counted and limited: a guesser must not lock out an administrator.
    const guesses = await limitGuesses(app, wrongKeysPerMinute(rateLimitPerMinute));
    const actorOf = async (request: FastifyRequest, given: string): Promise<Actor | undefined> => {
      // Each is compared, so that the time tells nothing.
      if (isAdminKey.map((isKey) => isKey(given)).includes(true)) return holderOfAdminKey;
      const hash = tokenHash(given);
      const find = () => findKey(db, hash, now());
      const key = hasKeyForm(given) ? await guesses.lookUp(request, hash, find) : undefined;
      if (!key) return undefined;
      await recordKeyUse(db, key, now());
      const { id, name, role, storeId } = key;
      return { kind: 'key', id, name, role, storeId };
    };
    app.decorateRequest('actor');
    app.decorateRequest('via', 'api');
    app.addHook('onRequest', async (request: FastifyRequest) => {
      const given = bearerToken(request.headers.authorization);
      if (given === undefined) throw errors.tokenMissing();
      const actor = await actorOf(request, given);
      if (actor) {
        if (actor.kind === 'admin_key') request.log.warn('ADMIN_KEY was used: prefer a key of its own');
        request.actor = actor;
        return;
      }
      throw await guesses.refusal(request, errors.adminKeyInvalid);
    });
  },
  { name: 'admin-authentication' },
);

/** Guessing keys is limited even if the stores' limit is off. */
function wrongKeysPerMinute(rateLimitPerMinute: number): number {
  if (rateLimitPerMinute === 0) return wrongKeysAtMost;
  return Math.min(wrongKeysAtMost, Math.ceil(rateLimitPerMinute / 10));
}
