import { may } from '@payments/domain/roles';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';
import { errors } from '../../errors/errors.ts';

/** Requires a session on every page of its scope, and redirects to the sign-in without one. */
export const requireSession = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      if (!request.panelSession) return askToSignIn(request, reply);
      if (!mayOpen(request)) throw errors.roleMayNot();
    });
  },
  { name: 'panel-require-session' },
);

/** A page that names no operation is for owners. */
function mayOpen({ actor, routeOptions }: FastifyRequest): boolean {
  const { may: operation } = routeOptions.config;
  if (operation === undefined) return actor.role === 'owner';
  return operation === 'anyone' || may(actor.role, operation);
}

function askToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // A 401 stops the live updates of an open page.
  if (request.headers['x-panel-live'] !== undefined) return reply.code(401).send();
  const back = request.method === 'GET' ? `?back=${encodeURIComponent(request.url)}` : '';
  return reply.redirect(`/panel/sign-in${back}`, 303);
}
