import { fastifyPlugin } from 'fastify-plugin';

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of payers' pages: only our own scripts and styles, no caching, no framing, no search engine. */
export const payerHeaders = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', async (_request, reply) => {
      void reply.headers({
        'content-security-policy': policy,
        'cache-control': 'no-store',
        'x-robots-tag': 'noindex',
      });
    });
  },
  { name: 'payer-headers' },
);
