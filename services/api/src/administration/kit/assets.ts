import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import { fastifyPlugin } from 'fastify-plugin';
import { pageAssets } from '../../shipped-files.ts';

/** The panel's style, script and icon. Browsers revalidate them at each use and get a 304. */
export const assets = fastifyPlugin(
  async (app) => {
    await app.register(fastifyStatic, {
      root: fileURLToPath(pageAssets),
      prefix: '/panel/assets/',
      index: false,
      cacheControl: false,
      setHeaders: (reply) => void reply.header('cache-control', 'no-cache'),
    });
  },
  { name: 'panel-assets' },
);
