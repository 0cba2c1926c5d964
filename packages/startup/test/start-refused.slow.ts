import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { asServicesRole, createTestDatabase } from '@payments/testing/database';
import { startProcess } from '@payments/testing/processes';
import t from 'tap';

/** A setting that only the machine or a server can judge also stops the start with one line that names the variable. */
const database = await createTestDatabase();
t.teardown(database.drop);
const services = await asServicesRole(database.url);
const changed = (change: (url: URL) => void) => {
  const url = new URL(services);
  change(url);
  return url.href;
};

const good = {
  DATABASE_URL: services,
  NATS_URL: 'nats://127.0.0.1:9',
  PUBLIC_URL: 'https://pay.example',
  ADMIN_KEY: 'an-admin-key-that-is-long',
  PIX_URL: 'http://127.0.0.1:9',
  PIX_CLIENT_ID: 'client',
  PIX_CLIENT_SECRET: 's3cr3t',
  PIX_KEY: 'pix@example.com',
  HOST: '127.0.0.1',
  PORT: '0',
  ADMIN_PORT: '0',
};

const production = { NODE_ENV: 'production', SECRETS_KEY: 'a-key-of-thirty-two-characters-or-more' };
type Wrong = [service: string, env: Record<string, string>, line: RegExp];
const wrong: Wrong[] = [
  ['api', { HOST: 'no-such-host.invalid' }, /HOST is no address of this machine/],
  ['api', { HOST: '203.0.113.7' }, /HOST is no address of this machine/],
  ['dispatcher', { HOST: '203.0.113.7' }, /HOST is no address of this machine/],
  [
    'api',
    { ...production, DATABASE_URL: 'postgres://u:s3cr3t@db.example/payments?sslmode=require' },
    /DATABASE_URL must have sslmode=verify-full.*DATABASE_ALLOW_PLAIN=true/,
  ],
  [
    'dispatcher',
    { ...production, NATS_URL: 'tls://127.0.0.1,nats://u:s3cr3t@nats.example' },
    /NATS_URL must be tls:\/\/.*NATS_ALLOW_PLAIN=true/,
  ],
  ['dispatcher', { NATS_CA_FILE: '/no/such/ca.pem' }, /NATS_CA_FILE can't be read: ENOENT/],
  ['api', { NODE_ENV: 'production' }, /SECRETS_KEY is required in production/],
  ['dispatcher', { NODE_ENV: 'production' }, /SECRETS_KEY is required in production/],
  ['api', { DOCS_TOKEN_FILE: '/no/such/file.json' }, /DOCS_TOKEN_FILE can't be read: ENOENT/],
  [
    'dispatcher',
    { DATABASE_URL: changed((url) => Object.assign(url, { pathname: '/no_such_database' })) },
    /DATABASE_URL: the server has no database of this name/,
  ],
  [
    'api',
    { DATABASE_URL: changed((url) => Object.assign(url, { username: 'no_such_user', password: 's3cr3t' })) },
    /DATABASE_URL: the server (refuses|does not let)/,
  ],
  ...(['api', 'dispatcher'] as const).map(
    (service): Wrong => [
      service,
      { ...production, DATABASE_URL: database.url },
      /DATABASE_URL: this role owns the record of changes.*: the services need a role of their own/,
    ],
  ),
];
for (const [service, env, line] of wrong) {
  t.test(`${service}: ${Object.keys(env)}`, async (t) => {
    const main = fileURLToPath(new URL(`../../../services/${service}/src/main.ts`, import.meta.url));
    const process = startProcess(main, { ...good, ...env }, [], { watched: false });
    t.strictSame(await process.exited, { code: 1, signal: null });
    const fatal = process.lines.filter((one) => one.includes('"fatal"'));
    t.equal(fatal.length, 1);
    const { msg } = JSON.parse(fatal[0]!) as { msg: string };
    t.match(msg, /^configuration: /);
    t.match(msg, line);
    t.notMatch(process.lines.join('\n'), /s3cr3t/);
  });
}

for (const service of ['api', 'dispatcher']) {
  t.test(`${service}: one role for all is enough without NODE_ENV, whatever PUBLIC_URL is`, async (t) => {
    const main = fileURLToPath(new URL(`../../../services/${service}/src/main.ts`, import.meta.url));
    const env = { ...good, DATABASE_URL: database.url };
    const process = startProcess(main, env, [], { watched: false });
    t.teardown(() => process.kill('SIGKILL'));
    t.match(await process.waitForLine(/this role owns the record of changes/), '"level":"info"');
    t.ok(await process.waitForLine(/SECRETS_KEY is not set/), 'the start goes on');
  });
}

t.test('a database that goes away while the record is checked is waited for', async (t) => {
  const { hostname, port } = new URL(database.url);
  let cut = 0;
  const proxy = createServer((client) => {
    const server = connect(Number(port), hostname);
    client.on('data', (data) => {
      if (cut > 0 || !data.includes('pg_has_role')) return void server.write(data);
      cut += 1;
      client.resetAndDestroy();
    });
    server.on('data', (data) => client.write(data));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const)
      one.on('error', () => {}).on('close', () => other.destroy());
  }).listen(0, '127.0.0.1');
  t.teardown(() => proxy.close());
  await once(proxy, 'listening');
  const through = changed((url) =>
    Object.assign(url, { hostname: '127.0.0.1', port: String((proxy.address() as AddressInfo).port) }),
  );
  const main = fileURLToPath(new URL('../../../services/dispatcher/src/main.ts', import.meta.url));
  const process = startProcess(main, { ...good, DATABASE_URL: through }, [], { watched: false });
  t.teardown(() => process.kill('SIGKILL'));
  t.ok(await process.waitForLine(/waiting for the database/));
  t.ok(await process.waitForLine(/SECRETS_KEY is not set/), 'then the start goes on');
  t.equal(cut, 1);
});
