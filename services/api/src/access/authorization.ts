import { may, type Operation } from '@payments/domain/roles';
import type { FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import { recordAct } from '../administration/record/actions.ts';
import type { PeopleContext } from '../context.ts';
import { errors } from '../http/errors/errors.ts';
import { authorOf } from './actor.ts';

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
    app.addHook('onRequest', async (request) => {
      const { may: operation } = request.routeOptions.config;
      if (operation === 'anyone') return;
      if (operation === undefined) throw errors.roleMayNot();
      await assertMay(context, request, operation);
    });
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
