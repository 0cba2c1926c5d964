import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createPixClient, type PixClientOptions } from '@payments/pix/client';
import t from 'tap';
import { KEY, startBank, type Teardown, TXID } from './bank-under-test.ts';
import { makeCertificates, replace } from './certificates.ts';

type Certificates = Awaited<ReturnType<typeof makeCertificates>>;

function startStrictBank(t: Teardown, files: Certificates) {
  return startBank(t, { tls: { ...files.bank, clientCaFile: files.clientCaFile } });
}

function clientWith(t: Teardown, url: string, tls: object, more: Partial<PixClientOptions> = {}) {
  const client = createPixClient({ url, clientId: 'a', clientSecret: 'b', key: KEY, tls, ...more });
  t.teardown(() => client.close());
  return client;
}

t.test('the right certificates open the connection, wrong ones do not', async (t) => {
  const files = await makeCertificates(t.testdir());
  const { url } = await startStrictBank(t, files);
  const caFile = files.bankCaFile;
  t.equal(await clientWith(t, url, { ...files.client, caFile }).getCharge(TXID), null);
  const refused: [string, object][] = [
    ['no certificate', { caFile }],
    ["a stranger's certificate", { ...files.stranger, caFile }],
    ['a bank that the client does not know', files.client],
    ['a bank of another authority', { ...files.client, caFile: files.clientCaFile }],
  ];
  for (const [name, tls] of refused) {
    const error = { code: 'PIX_UNAVAILABLE', reason: 'network' };
    await t.rejects(clientWith(t, url, tls).getCharge(TXID), error, name);
  }
});

t.test('files that are missing or do not fit stop the start', async (t) => {
  const files = await makeCertificates(t.testdir());
  const url = 'https://127.0.0.1:1';
  t.throws(() => clientWith(t, url, { certFile: '/nowhere/cert.pem' }), { code: 'ENOENT' });
  const { certFile } = files.client;
  t.throws(() => clientWith(t, url, { certFile, keyFile: files.stranger.keyFile }), Error);
});

t.test('rotated files are used without a restart, and half-written ones left alone', async (t) => {
  const clock = { now: 0 };
  const files = await makeCertificates(t.testdir());
  const bank = await startStrictBank(t, files);
  const calls: string[] = [];
  const client = clientWith(
    t,
    bank.url,
    { ...files.client, caFile: files.bankCaFile },
    { now: () => clock.now, onCall: ({ operation, status }) => calls.push(`${operation} ${status}`) },
  );
  const call = async () => {
    clock.now += 1001;
    return client.getCharge(TXID);
  };
  const seen = fingerprints(bank.app);

  await call();
  await call();
  t.equal(new Set(seen).size, 1);

  const halfway: Promise<unknown>[] = [];
  replace(files.client, files.renewed, () => halfway.push(call()));
  await Promise.all(halfway);
  t.equal(new Set(seen).size, 1, 'the old pair served while the new one was not whole');

  await call();
  t.equal(new Set(seen).size, 2, 'the new one is used');
  // The token was bound to the old certificate (RFC 8705): a new one was fetched without being told.
  t.strictSame(calls, [
    'token 200',
    'getCharge 404',
    'getCharge 404',
    'getCharge 404',
    'token 200',
    'getCharge 404',
  ]);
});

t.test('new files that can’t be used are reported once, and the old ones stay in use', async (t) => {
  const clock = { now: 0 };
  const files = await makeCertificates(t.testdir());
  const { url } = await startStrictBank(t, files);
  const reported: string[] = [];
  const tls = { ...files.client, caFile: files.bankCaFile };
  const onUnusableFile = ({ file }: { file: string }) => reported.push(file);
  const client = clientWith(t, url, tls, { now: () => clock.now, onUnusableFile });
  for (const file of ['certFile', 'keyFile', 'caFile'] as const) {
    const good = readFileSync(tls[file]);
    writeFileSync(tls[file], '');
    for (let call = 0; call < 3; call += 1) {
      clock.now += 1_001;
      t.equal(await client.getCharge(TXID), null);
    }
    writeFileSync(tls[file], good);
  }
  t.same(reported, ['certFile', 'keyFile', 'caFile']);
});

t.test('a call that is under way when files change ends well', async (t) => {
  const clock = { now: 0 };
  const files = await makeCertificates(t.testdir());
  const bank = await startStrictBank(t, files);
  const tls = { ...files.client, caFile: files.bankCaFile };
  const client = clientWith(t, bank.url, tls, { now: () => clock.now });
  await client.putCharge(TXID, { amount: 1000, expiresInSeconds: 60 });
  await bank.faults({ latencyMs: 100, only: ['patchCob'] });
  const arrived = once(bank.app.server, 'request');
  const slow = client.cancelCharge(TXID);
  await arrived;
  replace(files.client, files.renewed);
  clock.now += 1001;
  // Either call may be the first that the bank answers.
  t.match(await client.getCharge(TXID), { txid: TXID });
  t.match(await slow, { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
});

t.test('a certificate that the bank stopped accepting is replaced in place', async (t) => {
  const clock = { now: 0 };
  const files = await makeCertificates(t.testdir());
  const { url } = await startStrictBank(t, files);
  const tls = { ...files.stranger, caFile: files.bankCaFile };
  const client = clientWith(t, url, tls, { now: () => clock.now });
  await t.rejects(client.getCharge(TXID), { code: 'PIX_UNAVAILABLE' });
  replace(files.stranger, files.client);
  clock.now += 10_000;
  t.equal(await client.getCharge(TXID), null);
});

t.test('a token is worth nothing with another certificate', async (t) => {
  const files = await makeCertificates(t.testdir());
  const bank = await startStrictBank(t, files);
  const issued = bank.app.bank.access.issue({ id: '', secret: '', scopes: [] }, 'AA:BB');
  const answer = await bank.app.inject({
    url: `/cob/${TXID}`,
    headers: { authorization: `Bearer ${issued?.access_token}` },
  });
  t.equal(answer.statusCode, 401);
});

/** The client certificates that the bank was shown, one for each call of its API. */
function fingerprints(app: Awaited<ReturnType<typeof startBank>>['app']): string[] {
  const seen: string[] = [];
  app.server.on('request', (request) => {
    const socket = request.socket as unknown as { getPeerCertificate(): { fingerprint256: string } };
    seen.push(socket.getPeerCertificate().fingerprint256);
  });
  return seen;
}
