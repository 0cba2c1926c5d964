import { findKey, recordKeyUse } from '@payments/database/accounts/keys';
import { may, type Operation } from '@payments/domain/roles';
import { hasKeyForm, tokenHash } from '@payments/domain/tokens';
import type { FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import { recordAct } from '../administration/record/actions.ts';
import type { PeopleContext } from '../context.ts';
import { limitGuesses } from '../http/bounds.ts';
import { errors } from '../http/errors/errors.ts';
import { type Actor, authorOf, holderOfAdminKey } from './actor.ts';
import { bearerToken, secretCheck } from './secrets.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that a role must allow. `anyone` is who has signed in, with any role. */
    may?: Operation | 'anyone';
  }
}

type Context = Pick<PeopleContext, 'db' | 'now'>;

/**
 * Lets a role do on every route of its scope what the domain's table allows, and refuses and records the rest (Contract:
 * roles). A route that names no operation stops the start. Register it after the authentication.
 */
export const authorization = fastifyPlugin(
  async (app, { context }: { context: Context }) => {
    app.addHook('onRoute', ({ method, url, config }) => {
      if (config?.may === undefined) throw new Error(`${String(method)} ${url} names no operation`);
    });
    const assertRole = async (request: FastifyRequest) => {
      const { may: operation } = request.routeOptions.config;
      if (operation === 'anyone') return;
      if (operation === undefined) throw errors.roleMayNot();
      await assertMay(context, request, operation);
    };
    app.addHook('onRequest', assertRole);
    // By then, the authentication may have found another role.
    app.addHook('preHandler', assertRole);
  },
  { name: 'authorization' },
);

/**
 * Refuses what a role may not do, and records that.
 * @throws ApiError 403
 */
export async function assertMay(
  context: Context,
  request: FastifyRequest,
  operation: Operation,
): Promise<void> {
  if (may(request.actor.role, operation)) return;
  await recordRefusal(context, request, operation);
  throw errors.roleMayNot();
}

/** Records that a role may not do an operation. */
async function recordRefusal(context: Context, request: FastifyRequest, operation: Operation): Promise<void> {
  const { role, storeId } = request.actor;
  const to = { operation, role };
  const act = { action: 'operation.refused', storeId, to, kind: operation } as const;
  await recordAct(context, authorOf(request), act);
}

/** How many requests of an account or key are under way at a time (Design: Bounds). */
export const callsOfActor = {
  callerOf: ({ actor }: FastifyRequest) => actor.id ?? actor.kind,
  running: 20,
};

const wrongKeysAtMost = 1_000;

type KeyContext = Pick<PeopleContext, 'adminKeys' | 'db' | 'now' | 'rateLimitPerMinute'>;

/**
 * Requires a program's key, or `ADMIN_KEY`, as `Authorization: Bearer` on every route of its scope (Contract:
 * administration). Keys are read at every request: a deleted one fails from the next on. For a change, a key is read again
 * once the request has arrived and its turn has come. Otherwise a body that is held back would act by a key that has ended.
 */
export const adminAuthentication = fastifyPlugin(
  async (app, { context }: { context: KeyContext }) => {
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
    const enter = async (request: FastifyRequest) => {
      const given = bearerToken(request.headers.authorization);
      if (given === undefined) throw errors.tokenMissing();
      const actor = await actorOf(request, given);
      if (!actor) throw await guesses.refusal(request, errors.adminKeyInvalid);
      request.actor = actor;
    };
    app.addHook('onRequest', async (request) => {
      await enter(request);
      if (request.actor.kind !== 'admin_key') return;
      request.log.warn('ADMIN_KEY was used: prefer a key of its own');
    });
    app.addHook('preHandler', async (request) => {
      const isReading = request.method === 'GET' || request.method === 'HEAD';
      if (!isReading && request.actor.kind === 'key') await enter(request);
    });
  },
  { name: 'admin-authentication' },
);

/** Guessing keys is limited even if the stores' limit is off. */
function wrongKeysPerMinute(rateLimitPerMinute: number): number {
  if (rateLimitPerMinute === 0) return wrongKeysAtMost;
  return Math.min(wrongKeysAtMost, Math.ceil(rateLimitPerMinute / 10));
}
