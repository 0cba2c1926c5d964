import { fastifyPlugin } from 'fastify-plugin';

/**
 * Closes kept-alive connections with their next response while the process stops. The client then opens a new
 * connection to another replica. Closing an idle connection could lose a request that is just arriving.
 */
export const draining = fastifyPlugin<{ isAccepting: () => boolean }>(
  async (app, { isAccepting }) => {
    // onSend also catches the responses to requests that arrived before the stop.
    app.addHook('onSend', async (_request, reply) => {
      if (!isAccepting()) void reply.header('connection', 'close');
    });
  },
  { name: 'draining' },
);
