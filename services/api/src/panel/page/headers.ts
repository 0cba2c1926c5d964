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

/** Headers of pages for people: only our own files run and style, nothing is kept, nobody frames them. */
export const pageHeaders = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', async (_request, reply) => {
      void reply.headers({
        'content-security-policy': policy,
        'cache-control': 'no-store',
        // Other sites learn no address of ours, while browsers still say where a post comes from.
        'referrer-policy': 'same-origin',
      });
    });
  },
  { name: 'panel-headers' },
);
