import { readEnvironment } from '@payments/runtime/environment';
import t from 'tap';
import { apiSettings, trustedProxies } from '../src/settings.ts';

const minimal = {
  DATABASE_URL: 'postgres://payments:s3cr3t@127.0.0.1:5432/payments',
  NATS_URL: 'nats://127.0.0.1:4222',
  PUBLIC_URL: 'https://pay.example',
  ADMIN_KEY: 'admin-key-1',
  PIX_URL: 'https://bank.example/v2',
  PIX_CLIENT_ID: 'client',
  PIX_CLIENT_SECRET: 's3cr3t',
  PIX_KEY: 'pix@example.com',
};

t.test('defaults', async (t) => {
  const settings = readEnvironment(apiSettings, minimal);
  t.match(settings, { PORT: 3000, ADMIN_PORT: 3001, CHARGE_EXPIRES_IN_SECONDS: 86_400 });
});

const wrong: [name: string, value: string][] = [
  ['ADMIN_KEY', ''],
  ['ADMIN_KEY', 'short'],
  ['ADMIN_URL', 'panel.example'],
  ['CHARGE_EXPIRES_IN_SECONDS', '0'],
  ['RATE_LIMIT_PER_MINUTE', '-1'],
];
for (const [name, value] of wrong) {
  t.test(`${name}=${value}: one line that names it`, async (t) => {
    const read = () => readEnvironment(apiSettings, { ...minimal, [name]: value });
    t.throws(read, { name: 'ConfigurationError', message: new RegExp(`^${name} [^\\n]+$`) });
  });
}

/** `TRUST_PROXY` is empty, addresses and CIDRs, or hops. Anything else stops the start. */
t.test('empty believes nobody', async (t) => {
  for (const text of ['', ' ', ' , ']) t.equal(trustedProxies(text), false);
});

t.test('addresses and CIDRs', async (t) => {
  t.strictSame(trustedProxies('10.0.0.0/8, 192.0.2.7,fd00::/8 , ::1'), [
    '10.0.0.0/8',
    '192.0.2.7',
    'fd00::/8',
    '::1',
  ]);
});

t.test('a number of hops: so many proxies, counted from here', async (t) => {
  const isBelieved = trustedProxies('2');
  if (typeof isBelieved !== 'function') return t.fail('is no function');
  t.strictSame(
    [0, 1, 2, 3].map((hop) => isBelieved('203.0.113.1', hop)),
    [true, true, false, false],
  );
});

for (const wrong of [
  'loopback',
  '10.0.0.0/33',
  '10.0.0.0/0',
  '10.0.0/8',
  '::1/129',
  '-1',
  '1.5',
  '1,2',
  'true',
])
  t.test(`TRUST_PROXY=${wrong}: one line that names it`, async (t) => {
    t.throws(() => trustedProxies(wrong), { name: 'ConfigurationError', message: /^TRUST_PROXY: [^\n]+$/ });
  });
