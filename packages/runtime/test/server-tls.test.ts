import { X509Certificate } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { isThisMachine } from '../src/addresses.ts';
import { ConfigurationError, readEnvironment } from '../src/environment.ts';
import { databaseSettings, natsSettings } from '../src/settings.ts';

/** In production the ways to PostgreSQL and NATS beyond this machine are encrypted, and the server is verified. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBeTCCAR+gAwIBAgIUDO0R+OV9XvZ7uAEZ2pIE8HG/R2AwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHVGVzdCBDQTAeFw0yNjExMjYwMzQ2MTVaFw0zNjExMjMwMzQ2
MTVaMBIxEDAOBgNVBAMMB1Rlc3QgQ0EwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNC
AAS+cvabZd9+l5XHTxauZeHmtH7oAHjPeTGDZKdGLQpT5wZQuKkws3iawx/shKYT
ajPBQWTSIzJ2xEeRH07bDCn8o1MwUTAdBgNVHQ4EFgQU4EQu0jZ9VllAZkfmuhsk
NOwseckwHwYDVR0jBBgwFoAU4EQu0jZ9VllAZkfmuhskNOwseckwDwYDVR0TAQH/
BAUwAwEB/zAKBggqhkjOPQQDAgNIADBFAiEAsu7aDXidX86dZcVYPFO2D1M24vzl
xHkIKLYQKVljjioCIAy05NXHTJyXXXYRylTo1tAubATRY5wamOj4uM9VgEcY
-----END CERTIFICATE-----
`;
const folder = t.testdir({
  'nothing.pem': '',
  'ca.pem': certificate,
  'several.pem': `\uFEFFSubject: Test CA\r\n${certificate.replaceAll('\n', '\r\n')}${certificate}`,
  'half.pem': certificate + certificate.slice(0, 200),
});
writeFileSync(join(folder, 'ca.der'), new X509Certificate(certificate).raw);
const caFile = join(folder, 'ca.pem');
const nothing = join(folder, 'nothing.pem');

const schema = Type.Object({
  ...databaseSettings,
  DATABASE_URL: Type.Optional(databaseSettings.DATABASE_URL),
  REPORTS_DATABASE_URL: Type.Optional(databaseSettings.DATABASE_URL),
  ...natsSettings,
  NATS_URL: Type.Optional(natsSettings.NATS_URL),
});
const read = (env: Record<string, string>, NODE_ENV?: string) =>
  readEnvironment(schema, { ...env, ...(NODE_ENV && { NODE_ENV }) });

const accepted: Record<string, string>[] = [
  { DATABASE_URL: 'postgres://u:p@db.example/payments?sslmode=verify-full' },
  { DATABASE_URL: 'postgres://u:p@a:1,b:2/payments?application_name=x&sslmode=verify-full' },
  { DATABASE_URL: 'postgres://u:p@db.example/payments?sslmode=disable&sslmode=verify-full' },
  { DATABASE_URL: `postgres://db.example/payments?sslmode=verify-full&sslrootcert=${caFile}` },
  { DATABASE_URL: 'postgres://db.example/payments', DATABASE_CA_FILE: caFile },
  { DATABASE_URL: 'postgres://db.example/payments', DATABASE_ALLOW_PLAIN: 'true' },
  { DATABASE_URL: 'postgres://localhost/payments' },
  { DATABASE_URL: 'postgres://127.0.0.1:5432,[::1]:5433/payments' },
  { DATABASE_URL: 'postgres:///payments' },
  { DATABASE_URL: 'postgres:///payments?host=/var/run/postgresql' },
  { DATABASE_URL: 'postgres://%2Fvar%2Frun%2Fpostgresql/payments' },
  { DATABASE_URL: 'postgres://db.example/payments?host=127.0.0.1' },
  { NATS_URL: 'tls://u:p@nats.example:4222' },
  { NATS_URL: 'tls://a,tls://b, nats://127.0.0.1' },
  { NATS_URL: 'nats://localhost:4222' },
  { NATS_URL: 'nats://[::1]:4222' },
  { NATS_URL: 'nats://nats.example', NATS_CA_FILE: caFile },
  { NATS_URL: 'nats://nats.example', NATS_CA_FILE: join(folder, 'several.pem') },
  { NATS_URL: 'nats://nats.example', NATS_ALLOW_PLAIN: 'true' },
];
for (const env of accepted)
  t.test(Object.values(env).join(' '), async (t) => t.doesNotThrow(() => read(env, 'production')));

const plain: [variable: string, value: string, more?: Record<string, string>][] = [
  ['DATABASE_URL', 'postgres://u:p@db.example/payments'],
  ['DATABASE_URL', 'postgres://u:p@10.0.0.7/payments'],
  // pg 8 verifies with these two as well, its next major version does not.
  ['DATABASE_URL', 'postgres://db.example/payments?sslmode=require'],
  ['DATABASE_URL', 'postgres://db.example/payments?sslmode=verify-ca'],
  ['DATABASE_URL', 'postgres://db.example/payments?sslmode=prefer'],
  ['DATABASE_URL', 'postgres://db.example/payments?sslmode=no-verify'],
  ['DATABASE_URL', 'postgres://db.example/payments?sslmode=verify-full&sslmode=disable'],
  ['DATABASE_URL', 'postgres://db.example/payments?ssl=true'],
  ['DATABASE_URL', `postgres://db.example/payments?sslrootcert=${caFile}`],
  ['DATABASE_URL', 'postgres://127.0.0.1,db.example/payments'],
  ['DATABASE_URL', 'postgres://localhost/payments?host=db.example'],
  ['DATABASE_URL', 'postgres://localhost.example/payments'],
  [
    'DATABASE_URL',
    'postgres://db.example/payments',
    { DATABASE_ALLOW_PLAIN: 'false', NATS_ALLOW_PLAIN: 'true' },
  ],
  ['REPORTS_DATABASE_URL', 'postgres://db.example/payments'],
  ['NATS_URL', 'nats://nats.example'],
  ['NATS_URL', 'tls://a,nats://b'],
  ['NATS_URL', 'nats://127.0.0.1,nats://b'],
  ['NATS_URL', 'nats://nats.example', { NATS_ALLOW_PLAIN: 'false', DATABASE_ALLOW_PLAIN: 'true' }],
];
for (const [variable, value, more] of plain)
  t.test(`${variable}=${value}`, async (t) => {
    const env = { [variable]: value, ...more };
    const message = new RegExp(
      `^${variable} must .* is not on this machine \\(\\w+_ALLOW_PLAIN=true allows less\\)$`,
    );
    t.throws(() => read(env, 'production'), { name: 'ConfigurationError', message });
    for (const environment of [undefined, 'development', 'test'])
      t.doesNotThrow(() => read(env, environment));
  });

t.test('without a host the server of PGHOST counts', async (t) => {
  t.teardown(() => {
    delete process.env.PGHOST;
  });
  process.env.PGHOST = 'db.example';
  t.throws(() => read({ DATABASE_URL: 'postgres:///payments' }, 'production'), ConfigurationError);
});

t.test('the authority becomes part of every PostgreSQL URL', async (t) => {
  const given = 'postgres://u:p@a,b/payments?sslmode=disable&application_name=x';
  const env = {
    DATABASE_URL: given,
    REPORTS_DATABASE_URL: 'postgres://c/payments',
    DATABASE_CA_FILE: caFile,
  };
  const { DATABASE_URL, REPORTS_DATABASE_URL } = read(env);
  const query = `sslrootcert=${encodeURIComponent(caFile)}`;
  t.equal(DATABASE_URL, `postgres://u:p@a,b/payments?sslmode=verify-full&application_name=x&${query}`);
  t.equal(REPORTS_DATABASE_URL, `postgres://c/payments?sslmode=verify-full&${query}`);
});

const files: [env: Record<string, string>, message: RegExp][] = [
  [{ DATABASE_CA_FILE: '/no/such.pem' }, /^DATABASE_CA_FILE can't be read: ENOENT$/],
  [{ DATABASE_CA_FILE: nothing }, /^DATABASE_CA_FILE has no certificate in PEM$/],
  [
    { NATS_URL: 'nats://a, nats://t0k%en@b' },
    /^NATS_URL must have %25 for a percent sign in a user or password$/,
  ],
  [{ NATS_URL: 'nats://a:12#34@b' }, /^NATS_URL must have %23 for a #$/],
  [{ NATS_URL: 'nats://a:12/34@b' }, /^NATS_URL must end with the host and port$/],
  [{ NATS_CA_FILE: '/no/such.pem' }, /^NATS_CA_FILE can't be read: ENOENT$/],
  [{ NATS_CA_FILE: nothing }, /^NATS_CA_FILE has no certificate in PEM$/],
  [{ NATS_CA_FILE: join(folder, 'ca.der') }, /^NATS_CA_FILE has no certificate in PEM$/],
  [{ NATS_CA_FILE: join(folder, 'half.pem') }, /^NATS_CA_FILE has a certificate that can’t be read$/],
  [{ DATABASE_URL: `postgres://a/x?sslrootcert=${nothing}` }, /^DATABASE_URL has sslrootcert, which has no /],
  [{ DATABASE_URL: `postgres://a/x?sslcert=${nothing}` }, /^DATABASE_URL has sslcert, which has no /],
  ...['sslrootcert', 'sslcert', 'sslkey'].map((name): [Record<string, string>, RegExp] => [
    { DATABASE_URL: `postgres://a/payments?${name}=/no/such.pem` },
    new RegExp(`^DATABASE_URL has ${name}, which can't be read: ENOENT$`),
  ]),
];
for (const [env, message] of files)
  t.test(`files: ${message.source}`, async (t) =>
    t.throws(() => read(env), { name: 'ConfigurationError', message }),
  );

const machines: [host: string, isThis: boolean][] = [
  ['localhost', true],
  ['LOCALHOST', true],
  ['api.localhost', true],
  ['127.0.0.1', true],
  ['127.9.9.9', true],
  ['[::1]', true],
  ['::1', true],
  ['localhost.example', false],
  ['127.0.0.1.example', false],
  ['127.0.0.300', false],
  ['0.0.0.0', false],
  ['::', false],
  ['10.0.0.1', false],
];
for (const [host, isThis] of machines) t.equal(isThisMachine(host), isThis, host);
