import helmet from '@fastify/helmet';
import { fastifyPlugin } from 'fastify-plugin';

/** Headers for answers that are data: nothing of them may be run, framed or sniffed. */
export const securityHeaders = fastifyPlugin(
  async (app) => {
    await app.register(helmet, {
      contentSecurityPolicy: {
        useDefaults: false,
        directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      },
    });
  },
  { name: 'security-headers' },
);
