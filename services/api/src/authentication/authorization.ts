import { may, type Operation } from '@payments/domain/roles';
import { fastifyPlugin } from 'fastify-plugin';
import { errors } from '../errors/errors.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation that a role must allow. `anyone` is who has signed in, with any role. */
    may?: Operation | 'anyone';
  }
}

/**
 * Lets a role do on every route of its scope what the domain's table allows, and refuses the rest (Contract: roles).
 * A route that names no operation stops the start. Register it after the authentication.
 */
export const authorization = fastifyPlugin(
  async (app) => {
    app.addHook('onRoute', ({ method, url, config }) => {
      if (config?.may === undefined) throw new Error(`${String(method)} ${url} names no operation`);
    });
    app.addHook('onRequest', async ({ actor, routeOptions }) => {
      const { may: operation } = routeOptions.config;
      if (operation === 'anyone') return;
      if (operation === undefined || !may(actor.role, operation)) throw errors.roleMayNot();
    });
  },
  { name: 'authorization' },
);
