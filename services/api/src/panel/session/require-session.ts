import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';

/** Every page of the scope it is registered in needs a session; whoever has none is asked to sign in. */
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
  // The live part of an open page learns that its session has ended, and stops.
  if (request.headers['x-panel-live'] !== undefined) return reply.code(401).send();
  const back = request.method === 'GET' ? `?back=${encodeURIComponent(request.url)}` : '';
  return reply.redirect(`/panel/sign-in${back}`, 303);
}
