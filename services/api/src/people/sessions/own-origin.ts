import { fastifyPlugin } from 'fastify-plugin';
import { errors } from '../../http/errors/errors.ts';

/** Refuses posts from other sites before their body is read. */
export const ownOrigin = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', async ({ method, headers }) => {
      const site = headers['sec-fetch-site'];
      if (method === 'POST' && site !== undefined && site !== 'same-origin') throw errors.formExpired();
    });
  },
  { name: 'panel-own-origin' },
);
