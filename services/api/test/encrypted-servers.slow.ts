import { spawn } from 'node:child_process';
import { chownSync, copyFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from '@payments/database/connection';
import { connectEvents } from '@payments/jetstream/connection';
import { freePort } from '@payments/local-servers/free-port';
import { openKeeper } from '@payments/local-servers/keep';
import { natsProgram } from '@payments/local-servers/nats-program';
import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { startProcess } from '@payments/testing/processes';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import pino from 'pino';
import { generate } from 'selfsigned';
import t from 'tap';
import { startApi } from '../src/api.ts';
import { apiSettings } from '../src/settings.ts';

/** The whole service with a PostgreSQL and a NATS that take nothing in clear, and who is not believed by it. */
const folder = t.testdir({});
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text, { mode: 0o600 });
  return join(folder, name);
};
const EC = { keyType: 'ec', curve: 'P-256', algorithm: 'sha256' } as const;
const makeAuthority = (name: string) =>
  generate([{ name: 'commonName', value: name }], {
    ...EC,
    extensions: [
      { name: 'basicConstraints', cA: true, critical: true },
      { name: 'keyUsage', keyCertSign: true, critical: true },
    ],
  });
const authority = await makeAuthority('Our CA');
const caFile = file('ca.crt', authority.cert);
const strangersFile = file('stranger.crt', (await makeAuthority('Stranger CA')).cert);
/** Makes a certificate of that authority for one address or name. */
async function issue(name: string, altName: { type: 7; ip: string } | { type: 2; value: string }) {
  const made = await generate([{ name: 'commonName', value: name }], {
    ...EC,
    ca: { cert: authority.cert, key: authority.private },
    extensions: [
      { name: 'keyUsage', digitalSignature: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: [altName] },
    ],
  });
  return { certFile: file(`${name}.crt`, made.cert), keyFile: file(`${name}.key`, made.private) };
}
const ofPostgres = await issue('postgres', { type: 7, ip: '127.0.0.1' });
// The client of NATS verifies names alone.
const ofNats = await issue('nats', { type: 2, value: 'localhost' });

const log = createLogger('test', 'silent');
const migrate = fileURLToPath(new URL('../src/migrate.ts', import.meta.url));
const migrated = async (env: Record<string, string>) => {
  const run = startProcess(migrate, env, [], { watched: false });
  const { code } = await run.exited;
  return { code, output: run.lines.join('\n') };
};

/** Starts a PostgreSQL, and then lets it take encrypted connections alone. */
async function startEncryptedPostgres(): Promise<string> {
  const keeper = openKeeper();
  t.teardown(() => keeper.close());
  const dir = join(folder, 'postgres');
  const { url, stop, start } = await keeper.startPostgres({ dir, tuning: 'fast', discard: true });
  await stop();
  const data = join(dir, 'data');
  const { uid, gid } = statSync(data);
  for (const [from, name] of [
    [ofPostgres.certFile, 'server.crt'],
    [ofPostgres.keyFile, 'server.key'],
  ] as const) {
    copyFileSync(from, join(data, name));
    chownSync(join(data, name), uid, gid);
  }
  const access = join(data, 'pg_hba.conf');
  writeFileSync(access, readFileSync(access, 'utf8').replaceAll(/^host\s/gm, 'hostssl '));
  writeFileSync(join(data, 'postgresql.conf'), '\nssl = on\n', { flag: 'a' });
  await start();
  return url;
}

async function startEncryptedNats(): Promise<string> {
  const port = await freePort();
  const flags = [
    '--tls',
    '--tlscert',
    ofNats.certFile,
    '--tlskey',
    ofNats.keyFile,
    '-js',
    '-sd',
    join(folder, 'nats'),
  ];
  const nats = spawn(await natsProgram(), ['-a', '127.0.0.1', '-p', String(port), ...flags], {
    stdio: 'ignore',
  });
  t.teardown(() => nats.kill('SIGKILL'));
  return `localhost:${port}`;
}

const postgres = await startEncryptedPostgres();
const nats = await startEncryptedNats();
const encrypted = { DATABASE_URL: postgres, DATABASE_CA_FILE: caFile };

t.test('the migration reaches PostgreSQL with its authority, and nothing without TLS', async (t) => {
  const plain = await migrated({ DATABASE_URL: postgres });
  t.equal(plain.code, 1);
  t.match(plain.output, /configuration: DATABASE_URL: the server does not let this user in/);
  t.match(await migrated({ ...encrypted, NODE_ENV: 'production' }), { code: 0 });
  // A URL alone says the same.
  const DATABASE_URL = `${postgres}?sslmode=verify-full&sslrootcert=${caFile}`;
  t.match(await migrated({ DATABASE_URL, NODE_ENV: 'production' }), { code: 0 });
});

t.test('sales, webhooks and events go on over TLS', async (t) => {
  const system = await startSystem({
    env: { ...encrypted, NATS_URL: `tls://${nats}`, NATS_CA_FILE: caFile },
  });
  t.teardown(system.stop);
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const { token } = await system.createStore();
  const body = { amount: 10, webhookUrl: receiver.url };
  t.equal((await system.api('/api-public/payments', { token, body })).status, 200);
  await receiver.waitForCount(1);
  const db = connect(readEnvironment(apiSettings, { ...system.env, ...encrypted }).DATABASE_URL);
  t.teardown(() => db.destroy());
  await eventually('the event to be published', async () => {
    const left = await db.selectFrom('outbox').selectAll().execute();
    return left.length === 0 ? true : undefined;
  });
});

t.test('a server that can’t prove its name stops the start', async (t) => {
  const system = await startSystem({ dispatcher: false });
  t.teardown(system.stop);
  const cases: [what: string, env: Record<string, string>, message: RegExp][] = [
    [
      'of another authority',
      { ...encrypted, DATABASE_CA_FILE: strangersFile },
      /certificate is not accepted \(\w+\)$/,
    ],
    [
      'no authority given',
      { DATABASE_URL: `${postgres}?sslmode=verify-full` },
      /certificate is not accepted \(\w+\)$/,
    ],
    [
      'under another name',
      { ...encrypted, DATABASE_URL: postgres.replace('127.0.0.1', 'localhost') },
      /certificate is not accepted \(ERR_TLS_CERT_ALTNAME_INVALID\)$/,
    ],
    [
      'without TLS',
      { DATABASE_URL: `${system.env.DATABASE_URL}?sslmode=verify-full` },
      /the server has no TLS$/,
    ],
  ];
  for (const [what, env, message] of cases) {
    const settings = readEnvironment(apiSettings, { ...system.env, PORT: '0', ...env });
    await t.rejects(startApi(settings, log), { name: 'ConfigurationError', message }, what);
  }
});

t.test('NATS of another authority is not believed, with or without tls:// in the URL', async (t) => {
  for (const [url, authorities] of [
    [`tls://${nats}`, undefined],
    [`tls://${nats}`, strangersFile],
    [`nats://${nats}`, strangersFile],
  ] as const) {
    const refused = Promise.withResolvers<unknown>();
    const warnings = pino({ level: 'warn' }, { write: (line) => refused.resolve(JSON.parse(line)) });
    const options = { url, caFile: authorities, stream: 'PAYMENTS', name: 'test', log: warnings };
    const events = connectEvents(options);
    t.match(await refused.promise, { msg: /can’t be reached/, err: { code: /CERT|UNABLE/ } });
    t.equal(events.isConnected(), false);
    await events.close();
  }
  const events = connectEvents({ url: `nats://${nats}`, caFile, stream: 'PAYMENTS', name: 'test', log });
  await new Promise<void>((up) => events.onReconnect(up));
  await events.close();
});
