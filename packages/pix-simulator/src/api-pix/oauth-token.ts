import type { FastifyInstance, FastifyRequest } from 'fastify';
import { certificateOf } from '../access.ts';

/** `POST /oauth/token`: client credentials in the Authorization header or in the form (RFC 6749 §2.3.1). */
export function oauthToken(app: FastifyInstance): void {
  app.post<{ Body: Record<string, string> }>(
    '/oauth/token',
    { config: { apiPix: { operation: 'token' } } },
    async (request, reply) => {
      const form = request.body ?? {};
      if (form.grant_type !== 'client_credentials') {
        return reply.code(400).send({ error: 'unsupported_grant_type' });
      }
      const issued = app.bank.access.issue(
        credentialsOf(request, form),
        form.scope ?? '',
        certificateOf(request),
      );
      if (!issued) return reply.code(401).send({ error: 'invalid_client' });
      return issued;
    },
  );
}

function credentialsOf(request: FastifyRequest, form: Record<string, string>) {
  const basic = /^Basic (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  if (!basic) return { id: form.client_id ?? '', secret: form.client_secret ?? '' };
  const [id = '', secret = ''] = Buffer.from(basic, 'base64').toString('utf8').split(':');
  return { id: percentDecoded(id), secret: percentDecoded(secret) };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
