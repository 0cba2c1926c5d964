import { hasOwnerWithFactor } from '@payments/database/accounts/accounts';
import type { FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import type { PeopleContext } from '../../context.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Open also to a person who still has to set up a second factor. */
    withoutFactor?: boolean;
  }
  interface FastifyRequest {
    /** Whether the person must set up a second factor first. */
    isFactorMissing: boolean | undefined;
  }
}

type Context = Pick<PeopleContext, 'db' | 'requireSecondFactor'>;

/**
 * Leads a person who lacks a required second factor to “Minha conta”, whatever they ask for (Contract: people). Register
 * it after the session. The factor of a person of the single sign-on is their issuer's to ask for.
 */
export const requireFactor = fastifyPlugin(
  async (app, { context }: { context: Context }) => {
    app.decorateRequest('isFactorMissing', false);
    app.addHook('onRequest', async (request, reply) => {
      request.isFactorMissing = await lacksFactor(context, request);
      if (!request.isFactorMissing || request.routeOptions.config.withoutFactor) return;
      // A 401 stops the live updates of an open page.
      if (request.headers['x-panel-live'] !== undefined) return reply.code(401).send();
      return reply.redirect('/panel/my-account', 303);
    });
  },
  { name: 'panel-require-factor', dependencies: ['panel-require-session'] },
);

async function lacksFactor(context: Context, { actor, panelSession }: FastifyRequest): Promise<boolean> {
  const { requireSecondFactor: whose } = context;
  if (whose === 'none' || (whose === 'platform' && actor.storeId !== null)) return false;
  if (actor.kind === 'admin_key') return isAdminKeyShut(context);
  return !panelSession?.hasFactor && !panelSession?.isSignedOn;
}

/**
 * `ADMIN_KEY` has no second factor. Where one is required, the key opens the panel only until an owner has one: somebody
 * must make the first account. The administration API takes the key in any emergency.
 */
export async function isAdminKeyShut({ db, requireSecondFactor }: Context): Promise<boolean> {
  return requireSecondFactor !== 'none' && (await hasOwnerWithFactor(db));
}
