import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { callbackSecretOf } from '../src/pix-callback/registration.ts';
import { isError } from './expectations.ts';
import { sendRaw } from './raw-http.ts';

/** The PSP's callback checks its secret before the body, and limits the body. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const path = `/pix-callback/${callbackSecretOf('secret')}/pix`;

t.test('who does not know the secret is refused before the body arrives', async (t) => {
  const head =
    'Host: x\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\nConnection: close\r\n\r\n';
  const { status, body } = await sendRaw(system.url, `POST /pix-callback/wrong/pix HTTP/1.1\r\n${head}`);
  t.equal(status, 404);
  t.strictSame(JSON.parse(body), { statusCode: 404, message: 'Rota não encontrada.' });
});

t.test('nor is anything told of a body: neither its form nor its kind', async (t) => {
  for (const [body, type] of [
    ['{', 'application/json'],
    ['x', 'text/plain'],
    ['x'.repeat(1_500_000), 'application/json'],
  ] as const) {
    const headers = { 'content-type': type };
    isError(t, await system.api('/pix-callback/wrong/pix', { body, headers }), 404, 'Rota não encontrada.');
  }
});

const pixOf = (count: number) => ({
  pix: Array.from({ length: count }, (_, n) => ({
    endToEndId: `E0000000020261122120000000000${String(n).padStart(3, '0')}`,
    txid: String(n).padStart(35, '0'),
    valor: '10.00',
    chave: 'another@example.com',
    horario: '2026-11-22T12:00:00.000Z',
    infoPagador: 'x'.repeat(140),
  })),
});

t.test('a callback with two hundred Pix is taken', async (t) => {
  t.equal((await system.api(path, { body: pixOf(200) })).status, 200);
});

t.test('one that is far larger is not', async (t) => {
  const headers = { connection: 'close' };
  const answer = await system.api(path, { body: pixOf(1_000), headers });
  isError(t, answer, 413, 'O corpo da requisição é grande demais.');
});
