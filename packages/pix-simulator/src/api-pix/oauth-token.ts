import type { FastifyInstance, FastifyRequest } from 'fastify';
import { certificateOf } from '../access.ts';
import { TokenRefused, type TokenRequest } from '../banks/rules.ts';

/**
 * `POST /oauth/token`: client credentials, wherever the bank wants them. `POST /bank/token` is the same for the bank of
 * test stores: no real bank has it, so none can be taken for that one.
 */
export function oauthToken(app: FastifyInstance): void {
  for (const path of app.bank.isTestBank ? ['/bank/token'] : ['/oauth/token', '/bank/token'])
    tokens(app, path);
}

function tokens(app: FastifyInstance, path: string): void {
  app.post(path, { config: { apiPix: { operation: 'token' } } }, async (request, reply) => {
    const { rules, access } = app.bank;
    try {
      const issued = access.issue(rules.readToken(tokenRequestOf(request)), certificateOf(request));
      return issued ?? (await reply.code(401).send({ error: 'invalid_client' }));
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      return reply.code(error.status).send(error.body);
    }
  });
}

function tokenRequestOf({ headers, body, query }: FastifyRequest): TokenRequest {
  return {
    authorization: headers.authorization,
    contentType: headers['content-type'] ?? '',
    fields: (body ?? {}) as Record<string, string>,
    query: query as Record<string, string>,
  };
}
