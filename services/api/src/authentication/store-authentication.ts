import rateLimit from '@fastify/rate-limit';
import type { Store } from '@payments/database/stores';
import { findToken } from '@payments/database/tokens';
import { judgeToken, type TokenVerdict, tokenHash } from '@payments/domain/tokens';
import type { FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import type { ApiContext } from '../context.ts';
import type { ApiError } from '../errors/api-error.ts';
import { errors } from '../errors/errors.ts';
import { bearerToken } from './bearer.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The store that owns the request's token. */
    store: Store;
  }
}

const refusals: Record<Exclude<TokenVerdict, 'valid'>, () => ApiError> = {
  invalid: errors.tokenInvalid,
  superseded: errors.tokenSuperseded,
  'store-inactive': errors.storeInactive,
};

/**
 * Every route of the scope it is registered in needs a store's token (spec 5). It runs before the body is read, so
 * that nothing is learned without a token, and reads the database each time: a rotation holds at once.
 */
export const storeAuthentication = fastifyPlugin(
  async (app, { context }: { context: ApiContext }) => {
    app.decorateRequest('store');
    const perMinute = context.rateLimitPerMinute;
    if (perMinute > 0) await app.register(rateLimit, { global: false });
    // Only failures count, by address, and only failures are turned away: a neighbour's good token goes on working.
    const failures =
      perMinute > 0
        ? app.createRateLimit({ max: Math.max(1, Math.ceil(perMinute / 10)), timeWindow: 60_000 })
        : undefined;

    app.addHook('onRequest', async (request) => {
      const outcome = await authenticate(context, request);
      if (!(outcome instanceof Error)) {
        request.store = outcome;
        return;
      }
      const limit = await failures?.(request);
      if (limit && !limit.isAllowed && limit.isExceeded) throw errors.tooManyRequests(limit.ttlInSeconds);
      throw outcome;
    });
    if (perMinute > 0) {
      // Before the body is read: one that is too large or malformed counts, too.
      app.addHook(
        'onRequest',
        storeLimit(
          app.createRateLimit({
            max: perMinute,
            timeWindow: 60_000,
            keyGenerator: (request) => request.store.id,
          }),
        ),
      );
    }
  },
  { name: 'store-authentication' },
);

async function authenticate(context: ApiContext, request: FastifyRequest): Promise<Store | ApiError> {
  const token = bearerToken(request.headers.authorization);
  if (token === undefined) return errors.tokenMissing();
  const found = await findToken(context.db, tokenHash(token));
  const verdict = judgeToken(found?.token, context.now());
  return found && verdict === 'valid' ? found.store : refusals[verdict === 'valid' ? 'invalid' : verdict]();
}

type Limiter = ReturnType<import('fastify').FastifyInstance['createRateLimit']>;

/** Requests per store, per process (design 5). */
function storeLimit(limiter: Limiter) {
  return async (request: FastifyRequest): Promise<void> => {
    const limit = await limiter(request);
    if (!limit.isAllowed && limit.isExceeded) throw errors.tooManyRequests(limit.ttlInSeconds);
  };
}
