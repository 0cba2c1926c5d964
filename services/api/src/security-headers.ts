import type { IncomingMessage, ServerResponse } from 'node:http';
import { fastifyPlugin } from 'fastify-plugin';
import helmet from 'helmet';

/** Headers for answers that are data: nothing of them may be run, framed or sniffed. */
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

/** @returns what a helmet sets: the same for every answer, so that it is worked out once */
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
