import { callbackSecretOf } from '@payments/pix/callback';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { atMostEach } from '../../../src/http/bounds.ts';
import { settling } from '../../../src/public/pix-callback/api.ts';
import { sendRaw } from '../../http/raw-http.ts';
import { isError } from '../payments/expectations.ts';

/** The PSP's callback checks its secret before the body, and limits the body. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const path = `/pix-callback/${callbackSecretOf('default', 'secret')}/pix`;

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

t.test('a callback with thousands of Pix is taken', async (t) => {
  for (const count of [306, 2_500]) t.equal((await system.api(path, { body: pixOf(count) })).status, 200);
});

t.test('one of more than 1 MiB is not', async (t) => {
  const headers = { connection: 'close' };
  const answer = await system.api(path, { body: pixOf(4_000), headers });
  isError(t, answer, 413, 'O corpo da requisição é grande demais.');
});

t.test('a bank whose charges are read slowly leaves turns to the others', async (t) => {
  const inTurn = atMostEach(settling);
  const never = () => new Promise<never>(() => {});
  const { running, waiting } = settling.each;
  for (let taken = 0; taken < running + waiting; taken += 1) void inTurn('slow', never);
  t.equal(inTurn('slow', never), undefined, 'as many as may wait');
  t.equal(await inTurn('other', async () => 'settled'), 'settled');
});

t.test('a bank tries the address: with a word of its own, with nothing, with or without /pix', async (t) => {
  const bare = path.slice(0, -'/pix'.length);
  for (const address of [path, bare]) {
    t.equal((await system.api(address, { body: { evento: 'teste_webhook' } })).status, 200);
    t.equal((await system.api(address, { method: 'POST' })).status, 200);
    const empty = { method: 'POST', headers: { 'content-type': 'application/json' } };
    t.equal((await system.api(address, empty)).status, 200);
    const other = { body: '{"pix":[]}', headers: { 'content-type': 'text/plain' } };
    t.equal((await system.api(address, other)).status, 200, 'whatever it calls its JSON');
  }
  isError(t, await system.api('/pix-callback/wrong', { method: 'POST' }), 404, 'Rota não encontrada.');
});

t.test('a bank that adds no /pix settles as well', async (t) => {
  const store = await system.createStore();
  const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } });
  await system.bank('/bank/faults', { dropCallbacks: true });
  const paid = await system.bank('/bank/pay', { pixCopiaECola: body.qrCopyPaste });
  const { endToEndId, txid, valor } = paid.body;
  // Sicoob's has no chave.
  const told = { pix: [{ endToEndId, txid, valor, horario: new Date().toISOString() }] };
  t.equal((await system.api(path.slice(0, -'/pix'.length), { body: told })).status, 200);
  await system.waitForStatus(store, body.id, 'approved');
  await system.bank('/bank/faults', {});
});
