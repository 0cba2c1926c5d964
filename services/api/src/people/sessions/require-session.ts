import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';

/** Requires a session on every page of its scope, and redirects to the sign-in without one. */
export const requireSession = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', async (request, reply) => {
      if (request.panelSession) return;
      return askToSignIn(request, reply);
    });
  },
  { name: 'panel-require-session' },
);

function askToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // A 401 stops the live updates of an open page.
  if (request.headers['x-panel-live'] !== undefined) return reply.code(401).send();
  const back = request.method === 'GET' ? `?back=${encodeURIComponent(request.url)}` : '';
  return reply.redirect(`/panel/sign-in${back}`, 303);
}
