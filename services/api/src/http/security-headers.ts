import type { IncomingMessage, ServerResponse } from 'node:http';
import { fastifyPlugin } from 'fastify-plugin';
import helmet from 'helmet';

/** Headers of data responses: browsers must not run, frame or sniff them. */
export const securityHeaders = fastifyPlugin(
  async (app) => {
    const headers = headersOf(
      helmet({
        contentSecurityPolicy: {
          useDefaults: false,
          directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
        },
      }),
    );
    app.addHook('onRequest', async (_request, reply) => void reply.headers(headers));
  },
  { name: 'security-headers' },
);

/** @returns helmet's headers, computed once because they are the same for every response */
function headersOf(helmetOf: ReturnType<typeof helmet>): Record<string, string> {
  const headers: Record<string, string> = {};
  const answer = {
    setHeader: (name: string, value: string) => {
      headers[name.toLowerCase()] = value;
    },
    removeHeader: () => {},
  };
  helmetOf({} as IncomingMessage, answer as unknown as ServerResponse, (error) => {
    if (error) throw error;
  });
  return headers;
}
