import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { freePort } from '@payments/local-servers/free-port';
import { callbackSecretOf } from '@payments/pix/callback';
import { startBanks } from '@payments/testing/several-banks';
import { eventually, startSystem } from '@payments/testing/system';
import { pino } from 'pino';
import { generate } from 'selfsigned';
import t from 'tap';
import { doorOf } from '../../../src/public/pix-callback/api.ts';
import type { ApiSettings } from '../../../src/settings.ts';

/** The callback's own listener: the banks' certificates open it, and stores need none. */
const folder = t.testdir();
const write = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const ec = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;
const authority = async (name: string) =>
  generate([{ name: 'commonName', value: name }], {
    ...ec,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
const issue = async (name: string, ca: { cert: string; private: string }) =>
  generate([{ name: 'commonName', value: name }], {
    ...ec,
    ca: { cert: ca.cert, key: ca.private },
    extensions: [
      { name: 'extKeyUsage', serverAuth: true, clientAuth: true },
      { name: 'subjectAltName', altNames: [{ type: 7, ip: '127.0.0.1' }] },
    ],
  });
const [banks, others, ours] = await Promise.all(['Banks', 'Others', 'Ours'].map(authority));
const server = await issue('payments', ours!);
const bank = await issue('bank', banks!);
const stranger = await issue('stranger', others!);

const port = await freePort();
const logged: string[] = [];
const system = await startSystem({
  dispatcher: false,
  log: pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line).msg) }),
  env: {
    PIX_CALLBACK_URL: `https://127.0.0.1:${port}/`,
    PIX_CALLBACK_PORT: String(port),
    PIX_CALLBACK_CERT_FILE: write('server.crt', server.cert),
    PIX_CALLBACK_KEY_FILE: write('server.key', server.private),
    PIX_CALLBACK_CA_FILE: write('banks.crt', banks!.cert),
  },
});
t.teardown(system.stop);
const path = `/pix-callback/${callbackSecretOf('default', 'secret')}`;

function post(at: string, client?: { cert: string; private: string }): Promise<number | string> {
  return new Promise((resolve) => {
    const pair = client ? { cert: client.cert, key: client.private } : {};
    const options = {
      method: 'POST',
      host: '127.0.0.1',
      port,
      path: at,
      ca: ours!.cert,
      agent: false,
      ...pair,
    };
    const call = request(options, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    call.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    call.end();
  });
}

t.test('a bank gets in, nobody else does', async (t) => {
  t.equal(await post(path, bank), 200);
  t.equal(await post(`${path}/pix`, bank), 200);
  t.equal(await post('/pix-callback/wrong', bank), 404);
  t.type(await post(path), 'string', 'without a certificate');
  t.type(await post(path, stranger), 'string', 'with one of another authority');
});

t.test('stores need no certificate, and the public port has no callback', async (t) => {
  const store = await system.createStore();
  t.equal((await system.api('/api-public/payments', { token: store.token })).status, 200);
  t.equal((await system.api(path, { method: 'POST' })).status, 404);
});

t.test('the test bank, which has no certificate, calls at the public port', async (t) => {
  const several = await startBanks([{ id: 'first' }, { id: 'test' }]);
  const withTests = await startSystem({
    dispatcher: false,
    env: {
      BANKS_FILE: several.write(),
      PIX_CALLBACK_PORT: String(await freePort()),
      PIX_CALLBACK_CERT_FILE: write('another.crt', server.cert),
      PIX_CALLBACK_KEY_FILE: write('another.key', server.private),
      PIX_CALLBACK_CA_FILE: write('banks-of-another.crt', banks!.cert),
    },
  });
  t.teardown(async () => {
    await withTests.stop();
    await several.close();
  });
  const { webhooks } = several.at('test').simulator.bank.ledger;
  await eventually('the test bank to be told', async () => webhooks.size > 0 || undefined);
  const [{ url = '' } = {}] = [...webhooks.values()];
  t.ok(url.startsWith(withTests.url), 'the public port is its address');
  const store = await withTests.createStore({ test: true });
  const { token } = store;
  const { body } = await withTests.api('/api-public/payments', { token, body: { amount: 10 } });
  await withTests.api(`/api-public/payments/${body.id}/test`, { token, body: { do: 'pay' } });
  await withTests.waitForStatus(store, body.id, 'approved');
  const real = callbackSecretOf('first', 'secret-first');
  t.equal((await withTests.api(`/pix-callback/${real}`, { method: 'POST' })).status, 404, 'no other bank');
});

t.test('the bank is told the address of this listener', async (t) => {
  const { ledger } = system.simulator.bank;
  const isTold = async () => ledger.webhooks.has('pix@example.com') || undefined;
  await eventually('the bank to be told', isTold);
  t.equal(ledger.webhooks.get('pix@example.com')?.url, `https://127.0.0.1:${port}${path}`);
});

/** @returns whose certificate a new connection shows; why not, where it is refused */
function shownTo(client: { cert: string; private: string }): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const { cert, private: key } = client;
  const socket = connect({ host: '127.0.0.1', port, ca: ours!.cert, cert, key });
  // A client that is refused hears of it after its own side of the handshake.
  socket.on('secureConnect', () => socket.write('GET / HTTP/1.1\r\nhost: x\r\n\r\n'));
  socket.on('close', () => resolve('refused'));
  socket.on('error', (error: NodeJS.ErrnoException) => resolve(`refused: ${error.code}`));
  socket.on('data', () => {
    resolve(String(socket.getPeerCertificate().subject.CN));
    socket.destroy();
  });
  return promise;
}

const shows = (client: { cert: string; private: string }, name: string) =>
  eventually(`a connection to show ${name}`, async () => (await shownTo(client)) === name || undefined);
const isLogged = (pattern: RegExp) =>
  eventually(`${pattern} to be logged`, async () => {
    await shownTo(bank);
    return logged.find((line) => pattern.test(line));
  });

t.test('new files are used by new connections, without a restart', async (t) => {
  t.equal(await shownTo(bank), 'payments');
  const renewed = await issue('renewed', ours!);
  write('server.crt', renewed.cert);
  write('server.key', renewed.private);
  await shows(bank, 'renewed');
  write('banks.crt', others!.cert);
  await shows(stranger, 'renewed');
  t.match(await shownTo(bank), /^refused/, 'an authority that was taken away opens no more');
  write('banks.crt', banks!.cert);
  await shows(bank, 'renewed');
});

t.test('new files that can’t be used leave the old ones in use, and are logged once', async (t) => {
  const damaged: [file: string, text: string, setting: string][] = [
    ['server.crt', '', 'PIX_CALLBACK_CERT_FILE'],
    ['server.key', server.private, 'PIX_CALLBACK_KEY_FILE'],
    ['server.key', '', 'PIX_CALLBACK_KEY_FILE'],
    ['banks.crt', 'no PEM', 'PIX_CALLBACK_CA_FILE'],
  ];
  for (const [file, text, setting] of damaged) {
    const good = readFileSync(join(folder, file), 'utf8');
    logged.length = 0;
    write(file, text);
    await isLogged(new RegExp(`^${setting} can't be used: .*; the old one stays in use$`));
    t.equal(await shownTo(bank), 'renewed');
    write(file, `${good}\n`);
    await isLogged(/new certificate files/);
    t.equal(logged.filter((line) => line.includes(setting)).length, 1);
  }
});

t.test('its files come together, and with a port', async (t) => {
  const file = join(folder, 'server.crt');
  const wrong: [Partial<ApiSettings>, RegExp][] = [
    [{ PIX_CALLBACK_PORT: 0, PIX_CALLBACK_CERT_FILE: file }, /^PIX_CALLBACK_KEY_FILE is required/],
    [
      { PIX_CALLBACK_CERT_FILE: file, PIX_CALLBACK_KEY_FILE: file, PIX_CALLBACK_CA_FILE: file },
      /^PIX_CALLBACK_PORT is required/,
    ],
  ];
  for (const [settings, message] of wrong)
    t.throws(() => doorOf(settings as ApiSettings), { name: 'ConfigurationError', message });
  t.same(doorOf({ PIX_CALLBACK_PORT: 3009 } as ApiSettings), { port: 3009, tls: null });
});
