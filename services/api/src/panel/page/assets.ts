import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { fastifyPlugin } from 'fastify-plugin';
import { panelAssets } from '../../shipped-files.ts';

/** The panel's style, script and icon. Asked for again each time, answered 304 while they are the same. */
export const assets = fastifyPlugin(
  async (app) => {
    await app.register(fastifyStatic, {
      root: fileURLToPath(panelAssets),
      prefix: '/panel/assets/',
      index: false,
      cacheControl: false,
      setHeaders: (reply) => void reply.header('cache-control', 'no-cache'),
    });
  },
  { name: 'panel-assets' },
);
