import rateLimit from '@fastify/rate-limit';
import type { Authenticated, TokenReader } from '@payments/database/authentication';
import type { StoredPayment } from '@payments/database/payments';
import type { Store } from '@payments/database/stores';
import { isId } from '@payments/domain/identifiers';
import { judgeToken, type TokenVerdict, tokenHash } from '@payments/domain/tokens';
import type { FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import type { ApiContext } from '../context.ts';
import type { ApiError } from '../errors/api-error.ts';
import { errors } from '../errors/errors.ts';
import { bearerToken } from './bearer.ts';
import { startTokenUses, type TokenUses } from './token-uses.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The store that owns the request's token. */
    store: Store;
    /** On a route that `readsPayment`: the one in its path, where it is the store's. */
    payment: StoredPayment | undefined;
  }
  interface FastifyContextConfig {
    /** The path's `id` names a payment, which is read together with the token. */
    readsPayment?: boolean;
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
    app.decorateRequest('payment');
    const uses = startTokenUses(context.db, context.log);
    app.addHook('onClose', uses.stop);
    const perMinute = context.rateLimitPerMinute;
    if (perMinute > 0) await app.register(rateLimit, { global: false });
    // Only failures count, by address, and only failures are turned away: a neighbour's good token goes on working.
    const failures =
      perMinute > 0
        ? app.createRateLimit({ max: Math.max(1, Math.ceil(perMinute / 10)), timeWindow: 60_000 })
        : undefined;

    app.addHook('onRequest', async (request) => {
      const outcome = await authenticate({ tokens: context.tokens, uses, now: context.now }, request);
      if (!(outcome instanceof Error)) return void Object.assign(request, outcome);
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

type Admission = Pick<FastifyRequest, 'store' | 'payment'>;

type Tokens = { tokens: TokenReader; uses: TokenUses; now: () => Date };

async function authenticate(
  { tokens, uses, now: clock }: Tokens,
  request: FastifyRequest,
): Promise<Admission | ApiError> {
  const token = bearerToken(request.headers.authorization);
  if (token === undefined) return errors.tokenMissing();
  const found = await look(tokens, request, tokenHash(token));
  const now = clock();
  const verdict = judgeToken(found?.token, now);
  if (!found || verdict !== 'valid') return refusals[verdict === 'valid' ? 'invalid' : verdict]();
  uses.note(found.tokenId, now);
  return { store: found.store, payment: found.payment };
}

type Found = Authenticated & { payment?: StoredPayment | undefined };

async function look(
  tokens: TokenReader,
  { params, routeOptions }: FastifyRequest,
  hash: Buffer,
): Promise<Found | undefined> {
  const { id = '' } = params as { id?: string };
  return routeOptions.config.readsPayment && isId(id)
    ? tokens.findTokenAndPayment(hash, id)
    : tokens.findToken(hash);
}

type Limiter = ReturnType<import('fastify').FastifyInstance['createRateLimit']>;

/** Requests per store, per process (design 5). */
function storeLimit(limiter: Limiter) {
  return async (request: FastifyRequest): Promise<void> => {
    const limit = await limiter(request);
    if (!limit.isAllowed && limit.isExceeded) throw errors.tooManyRequests(limit.ttlInSeconds);
  };
}
