import { generateKeyPairSync, sign } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Problem } from '../problem.ts';
import { instant } from '../shapes.ts';

/**
 * `GET /qr/{token}`: what a payer's app fetches at a code's location, the charge as a signed payload
 * (API Pix 2.9, `/{pixUrlAccessToken}`). The key is this process's own; `/qr/jwks` shows it.
 */
export function location(app: FastifyInstance): void {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const header = encoded({ alg: 'ES256', typ: 'JOSE', kid: 'simulator' });
  const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'simulator', alg: 'ES256', use: 'sig' };

  app.get('/qr/jwks', async () => ({ keys: [jwk] }));

  app.get<{ Params: { token: string } }>('/qr/:token', async (request, reply) => {
    const charge = app.bank.ledger.chargeAt(request.params.token);
    if (!charge) throw new Problem(404, 'CobPayloadNaoEncontrado', 'Não há cobrança nesta location.');
    if (charge.status.startsWith('REMOVIDA')) {
      throw new Problem(410, 'CobPayloadNaoEncontrado', 'A cobrança foi removida.');
    }
    const { calendario, ...terms } = charge.terms;
    const times = { criacao: instant(charge.createdAt), apresentacao: instant(app.bank.clock.now()) };
    const { txid, revision: revisao, status } = charge;
    const payload = encoded({ ...terms, calendario: { ...times, ...calendario }, txid, revisao, status });
    const signed = `${header}.${payload}`;
    const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
    return reply.type('application/jose').send(`${signed}.${signature.toString('base64url')}`);
  });
}

function encoded(part: unknown): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
