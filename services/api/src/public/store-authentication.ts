import { type Database, shareOf } from '@payments/database/connection';
import type { StoredPayment } from '@payments/database/payments/payments';
import type { Author } from '@payments/database/record/changes';
import { type Authenticated, findToken, findTokenAndPayment } from '@payments/database/stores/authentication';
import type { Store } from '@payments/database/stores/stores';
import { recordTokenUses } from '@payments/database/stores/tokens';
import { isId } from '@payments/domain/identifiers';
import { withoutEmails } from '@payments/domain/personal-data';
import type { TokenDeed } from '@payments/domain/store-choices';
import { hasTokenForm, judgeToken, tokenHash } from '@payments/domain/tokens';
import { startLoop } from '@payments/runtime/loop';
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import type { Logger } from 'pino';
import { originOf } from '../access/actor.ts';
import { bearerToken } from '../access/secrets.ts';
import type { PublicContext } from '../context.ts';
import { type GuessLimit, limitGuesses } from '../http/bounds.ts';
import { errors, tokenRefusals } from '../http/errors/errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The store that owns the request's token. */
    store: Store;
    tokenId: string;
    /** The ids of banks that get no new charges now. */
    pausedBanks: readonly string[];
    /** On a route with `readsPayment`: the payment in its path, if it is the store's. */
    payment: StoredPayment | undefined;
  }
  interface FastifyContextConfig {
    /** Reads the payment of the path's `id` together with the token, in one statement. */
    readsPayment?: boolean;
    /** The deed that the store must allow its tokens. */
    tokenMay?: TokenDeed;
    /** Only for test stores: for every other it is an unknown path (Contract: test stores). */
    ofTestStores?: boolean;
  }
}

// Look-ups at once share a statement: those of guesses would queue before those of sales (Design: Bounds).
const strangersConnections = 2;

/**
 * Requires a store's token on every route of its scope, before the body is read (Contract: bearer token).
 * It reads the database for each request, so that a new token works at once on every replica. What moves money judges the
 * token again in its transaction (`store-token.ts` of settlement).
 */
export const storeAuthentication = fastifyPlugin(
  async (app, { context }: { context: PublicContext }) => {
    app.decorateRequest('store');
    app.decorateRequest('tokenId');
    app.decorateRequest('pausedBanks');
    app.decorateRequest('payment');
    const uses = startTokenUses(context.db, context.log);
    app.addHook('onClose', uses.stop);
    const perMinute = context.rateLimitPerMinute;
    const { db, now } = context;
    const strangersDb = shareOf(db, strangersConnections);
    const guesses = await limitGuesses(app, Math.ceil(perMinute / 10));

    app.addHook('onRequest', async (request) => {
      Object.assign(request, await authenticate({ db, strangersDb, uses, now, guesses }, request));
    });
    if (perMinute > 0) {
      // This runs before the body is read, so that a request with an invalid body counts, too.
      app.addHook(
        'onRequest',
        storeLimit(
          app.createRateLimit({
            max: perMinute,
            timeWindow: 60_000,
            keyGenerator: (request) => request.store.id,
          }),
          perMinute,
        ),
      );
    }
    // Whether the store may at all comes before the input (Contract: refunds by a token).
    app.addHook('onRequest', async ({ store, routeOptions }) => {
      const { tokenMay: deed, ofTestStores } = routeOptions.config;
      if (ofTestStores && !store.test) throw errors.routeNotFound();
      if (deed && !store.tokenMay.includes(deed)) throw errors.operationNotEnabled();
    });
  },
  { name: 'store-authentication' },
);

/** @returns the author of what a store's token does, in the record: never the token itself */
export function authorByToken(request: FastifyRequest, reason: string | null): Author {
  const { store, tokenId: id } = request;
  const said = reason === null ? null : withoutEmails(reason);
  return { name: `token da loja ${store.name}`, id, via: 'api', reason: said, ...originOf(request) };
}

type Admission = Pick<FastifyRequest, 'store' | 'tokenId' | 'pausedBanks' | 'payment'>;

type Tokens = { db: Database; strangersDb: Database; uses: TokenUses; now: () => Date; guesses: GuessLimit };

/** @throws ApiError for a token that may not be used */
async function authenticate(
  { db, strangersDb, uses, now: clock, guesses }: Tokens,
  request: FastifyRequest,
): Promise<Admission> {
  const token = bearerToken(request.headers.authorization);
  if (token === undefined) throw errors.tokenMissing();
  const hash = tokenHash(token);
  const find = (isKnown: boolean) => look(isKnown ? db : strangersDb, request, hash);
  const found = hasTokenForm(token) ? await guesses.lookUp(request, hash, find) : undefined;
  // Only unknown tokens count against an address: a neighbour's guesses never refuse a store (Contract: rate limits).
  if (!found) throw await guesses.refusal(request, errors.tokenInvalid);
  const now = clock();
  const verdict = judgeToken(found.token, now);
  if (verdict !== 'valid') throw tokenRefusals[verdict]();
  uses.note(found.tokenId, now);
  const { store, tokenId, pausedBanks, payment } = found;
  return { store, tokenId, pausedBanks, payment };
}

type Found = Authenticated & { payment?: StoredPayment | undefined };

async function look(
  db: Database,
  { params, routeOptions }: FastifyRequest,
  hash: Buffer,
): Promise<Found | undefined> {
  const { id = '' } = params as { id?: string };
  return routeOptions.config.readsPayment && isId(id)
    ? findTokenAndPayment(db, { hash, paymentId: id })
    : findToken(db, hash);
}

type Limiter = ReturnType<import('fastify').FastifyInstance['createRateLimit']>;

/**
 * Limits requests per store in this process, and says what is left (Contract: rate limits;
 * draft-ietf-httpapi-ratelimit-headers-10).
 */
function storeLimit(limiter: Limiter, perMinute: number) {
  const policy = `"default";q=${perMinute};w=60`;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const limit = await limiter(request);
    if (limit.isAllowed) return;
    const { remaining, ttlInSeconds, isExceeded } = limit;
    void reply.headers({
      'ratelimit-policy': policy,
      ratelimit: `"default";r=${Math.max(0, remaining)};t=${ttlInSeconds}`,
    });
    if (isExceeded) throw errors.tooManyRequests(ttlInSeconds);
  };
}

type TokenUses = {
  /** Notes the use of a token in memory. */
  note(tokenId: string, at: Date): void;
  /** Records the remaining uses. */
  stop(): Promise<void>;
};

/** Collects the times of tokens' last uses and records them periodically, in one statement for all tokens. */
export function startTokenUses(db: Database, log: Logger, intervalMs = 10_000): TokenUses {
  let uses = new Map<string, Date>();
  const record = async (): Promise<false> => {
    if (uses.size === 0) return false;
    const noted = uses;
    uses = new Map();
    try {
      await recordTokenUses(db, noted);
    } catch (error) {
      // Uses noted since then are later and win.
      uses = new Map([...noted, ...uses]);
      throw error;
    }
    return false;
  };
  const onError = (error: unknown) => log.warn({ err: error }, 'uses of tokens are recorded later');
  const loop = startLoop({ intervalMs, turn: record, onError });
  return {
    note: (tokenId, at) => {
      uses.set(tokenId, at);
    },
    stop: async () => {
      await loop.stop();
      await record().catch(onError);
    },
  };
}

/** The parts of the documents that every operation with a store's token has. */
export const storeOperation = { 'x-limited': true, security: [{ bearer: [] }] };

/** The errors that every request with a store's token can get. */
export const ofStoreRequest = [
  'tokenMissing',
  'tokenInvalid',
  'tokenSuperseded',
  'storeInactive',
  'tooManyRequests',
  'unavailable',
] as const;

export const requestIdHeader = {
  'X-Request-Id': Type.Optional(
    Type.String({
      pattern: '^[\\w.:-]{1,128}$',
      description:
        'Your own id for the request, for the logs. The service replaces a value that does not match the pattern.',
      examples: ['checkout-1042'],
    }),
  ),
};
