import type { FastifyReply, FastifyRequest } from 'fastify';
import { fastifyPlugin } from 'fastify-plugin';

const ofData = {
  'content-security-policy': "default-src 'none';frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'origin-agent-cluster': '?1',
  'referrer-policy': 'no-referrer',
  'strict-transport-security': 'max-age=31536000; includeSubDomains',
  'x-content-type-options': 'nosniff',
  'x-dns-prefetch-control': 'off',
  'x-download-options': 'noopen',
  'x-frame-options': 'SAMEORIGIN',
  'x-permitted-cross-domain-policies': 'none',
  'x-xss-protection': '0',
};

/** Headers of all responses, as of data: browsers must not run, frame or sniff them. Pages have a policy of their own. */
export const securityHeaders = fastifyPlugin(
  async (app) => {
    app.addHook('onRequest', async (_request, reply) => void reply.headers(ofData));
  },
  { name: 'security-headers' },
);

/** Sources that a page needs beside our own scripts, styles, images and requests. */
type Sources = { images?: string; forms?: string };

/** @returns a page's content security policy: nothing inline, no framing, nothing of another host */
export function pagePolicy({ images = "'self'", forms = "'none'" }: Sources = {}): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${images}`,
    "connect-src 'self'",
    "base-uri 'none'",
    `form-action ${forms}`,
    "frame-ancestors 'none'",
  ].join('; ');
}

/**
 * Headers of pages with data: the policy and no caching.
 * @param sources what the pages need beside our own scripts, styles, images and requests
 * @param headers others that these pages have
 */
export const pageHeaders = fastifyPlugin(
  async (app, { sources, headers }: { sources?: Sources; headers: Record<string, string> }) => {
    const all = {
      'content-security-policy': pagePolicy(sources),
      'cache-control': 'no-store',
      ...headers,
    };
    app.addHook('onRequest', async (_request, reply) => void reply.headers(all));
  },
  { name: 'page-headers' },
);

/**
 * Tells that an operation will go (Compatibility: when something must go), in each of its responses, refusals too. A
 * route's schema says so: `deprecated: true` with the days `x-deprecated-since` and `x-sunset`.
 * @throws Error at the start, for a route without these days, or with less than twelve months between them
 */
export const deprecationHeaders = fastifyPlugin(
  async (app) => {
    app.addHook('onRoute', (route) => {
      if (!route.schema?.deprecated) return;
      const headers = headersUntil(route.url, route.schema as Ending);
      const others = [route.onSend ?? []].flat();
      route.onSend = [...others, async (_request, reply) => void reply.headers(headers)];
    });
  },
  { name: 'deprecation-headers' },
);

/**
 * Takes the length from a 304 to HEAD. Fastify says 0 there, which a cache would take for the length of its copy
 * (RFC 9110, 8.6).
 */
export const lengthOfCopies = fastifyPlugin(
  async (app) => {
    app.addHook('onRoute', (route) => {
      if (route.method !== 'HEAD') return;
      const others = [route.onSend ?? []].flat();
      const unsaid = async (_request: FastifyRequest, reply: FastifyReply) => {
        if (reply.statusCode === 304) void reply.removeHeader('content-length');
      };
      route.onSend = [...others, unsaid];
    });
  },
  { name: 'length-of-copies' },
);

/** Days, as `2026-11-26`. */
type Ending = { 'x-deprecated-since'?: string; 'x-sunset'?: string };

function headersUntil(url: string, { 'x-deprecated-since': since = '', 'x-sunset': sunset = '' }: Ending) {
  const [from, end] = [new Date(since), new Date(sunset)];
  const earliest = new Date(from);
  earliest.setUTCFullYear(from.getUTCFullYear() + 1);
  if (!(end >= earliest))
    throw new Error(`${url} must be deprecated for twelve months, not ${since} to ${sunset}`);
  return { deprecation: `@${from.getTime() / 1_000}`, sunset: end.toUTCString() };
}
