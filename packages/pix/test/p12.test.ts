import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import t from 'tap';
import { createPixClient } from '../src/client.ts';
import { cob, KEY, TXID } from './psp.ts';

t.test('a .p12 is shown to the bank as certificate and key are', async (t) => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: 'bank' }], { keyType: 'ec' });
  const shown: string[] = [];
  const server = createServer(
    { cert, key, requestCert: true, rejectUnauthorized: false },
    (request, answer) => {
      shown.push(String((request.socket as TLSSocket).getPeerCertificate().subject?.CN));
      answer.setHeader('content-type', 'application/json');
      answer.end(
        JSON.stringify(request.url?.endsWith('token') ? { access_token: 'x', expires_in: 60 } : cob),
      );
    },
  );
  server.listen(0, 'localhost');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const file = (name: string) => join(import.meta.dirname, 'p12', `${name}.p12`);
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  t.teardown(() => delete process.env.NODE_TLS_REJECT_UNAUTHORIZED);
  for (const tls of [{ p12File: file('open') }, { p12File: file('locked'), p12Password: 'segredo' }]) {
    const url = `https://localhost:${(server.address() as AddressInfo).port}`;
    const client = createPixClient({ url, clientId: 'a', clientSecret: 'b', key: KEY, tls });
    t.match(await client.getCharge(TXID), { status: 'ATIVA' });
    await client.close();
  }
  t.same(new Set(shown), new Set(['Loja de Teste']));
});
