import { fastifyPlugin } from 'fastify-plugin';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of the panel's pages: only our own scripts and styles, no caching, no framing. */
export const pageHeaders = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', async (_request, reply) => {
      void reply.headers({
        'content-security-policy': policy,
        'cache-control': 'no-store',
        // Hides our addresses from other sites, but keeps the Origin header that protects posts.
        'referrer-policy': 'same-origin',
      });
    });
  },
  { name: 'panel-headers' },
);
