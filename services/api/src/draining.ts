import { fastifyPlugin } from 'fastify-plugin';

/**
 * Ends kept-alive connections with an answer once the process has been told to stop: a client's next request opens
 * a new one, which a balancer gives to another replica. One that was closed while idle could meet a request.
 */
export const draining = fastifyPlugin<{ isAccepting: () => boolean }>(
  async (app, { isAccepting }) => {
    // As late as can be: also the answer to what came before the end was known.
    app.addHook('onSend', async (_request, reply) => {
      if (!isAccepting()) void reply.header('connection', 'close');
    });
  },
  { name: 'draining' },
);
