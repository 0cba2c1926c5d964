import { generateKeyPairSync, sign } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { showChargePlainly } from '../api-pix/cob.ts';
import { expiresAt, findCharge } from '../charges.ts';
import { Problem } from '../problem.ts';
import { settleDue } from '../refunds.ts';
import { instant, showPix } from '../shapes.ts';
import { faults } from './faults.ts';
import { page } from './page.ts';
import { pay } from './pay.ts';
import { readCode } from './read-code.ts';
import { refunds } from './refunds.ts';

type Move = { advanceSeconds?: number; now?: string };

const schema = {
  body: {
    type: 'object',
    additionalProperties: false,
    maxProperties: 1,
    properties: {
      advanceSeconds: { type: 'number', minimum: -1e9, maximum: 1e9 },
      now: { type: 'string', format: 'date-time' },
    },
  },
};

/** `POST /bank/clock` moves the bank's clock by seconds or to an instant; `{}` sets it right again. */
export function clock(app: FastifyInstance): void {
  const show = () => ({ now: instant(app.bank.clock.now()), offsetMs: app.bank.clock.offset() });
  app.post<{ Body: Move }>('/bank/clock', { schema }, async (request) => {
    const { clock } = app.bank;
    const { advanceSeconds, now } = request.body;
    if (now !== undefined) clock.setOffset(clock.offset() + Date.parse(now) - clock.now());
    else clock.setOffset(advanceSeconds === undefined ? 0 : clock.offset() + advanceSeconds * 1000);
    settleDue(app.bank);
    return show();
  });
  app.get('/bank/clock', async () => show());
}

/** The bank's other side: payments, clock and faults, without a token; at the bank of test stores, for its clients. */
export async function bankSide(app: FastifyInstance): Promise<void> {
  if (app.bank.isTestBank)
    app.addHook('onRequest', async (request) => {
      if (request.routeOptions.url !== '/health/live') app.bank.access.check(request, 'cob.write');
    });
  page(app);
  location(app);
  readCode(app);
  pay(app);
  refunds(app);
  charge(app);
  faults(app);
  clock(app);
  records(app);
  app.get('/health/live', async () => ({ status: 'ok' }));
}

/**
 * Without a token: `GET /bank/charges`, the charges that this bank has or had, by `txid` and with what the payer reads of
 * them; `GET /bank/charges/{txid}`, a charge with its Pix and their refunds.
 */
export function charge(app: FastifyInstance): void {
  app.get('/bank/charges', async () => ({
    charges: [...app.bank.ledger.charges.values()].map(({ txid, terms: { infoAdicionais = [] } }) => ({
      txid,
      infoAdicionais,
    })),
  }));
  app.get<{ Params: { txid: string } }>('/bank/charges/:txid', async (request) => {
    settleDue(app.bank);
    const found = findCharge(app.bank, request.params.txid);
    return {
      ...showChargePlainly(app.bank, found),
      expiraEm: instant(expiresAt(found)),
      pix: app.bank.ledger.pixOf(found.txid).map((pix) => ({ devolucoes: [], ...showPix(pix) })),
    };
  });
}

/**
 * The bank's notes: callbacks it made, requests that did not respect the API Pix, and requests for charges and Pix that
 * it does not have.
 */
export function records(app: FastifyInstance): void {
  app.get('/bank/callbacks', async () => ({ attempts: app.bank.callbacks.attempts }));
  app.get('/bank/violations', async () => app.bank.conformity);
  app.get('/bank/unknown', async () => ({ requests: app.bank.unknown }));
  app.delete('/bank/tokens', async (_request, reply) => {
    app.bank.access.revokeAll();
    return reply.code(204).send();
  });
}

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
