import { Type } from '@sinclair/typebox';
import t from 'tap';
import { ConfigurationError, readEnvironment } from '../src/environment.ts';
import { portSetting, settings } from '../src/settings.ts';
import { webhookPolicy } from '../src/webhook-policy.ts';

const schema = Type.Object({ ...settings, PORT: portSetting(3000, 'Port') });
const minimal = {
  DATABASE_URL: 'postgres://payments:s3cr3t@127.0.0.1:5432/payments',
  NATS_URL: 'nats://127.0.0.1:4222',
  PUBLIC_URL: 'https://pay.example',
  ADMIN_KEY: 'admin-key-1',
};

t.test('defaults, as the design names them', async (t) => {
  t.match(readEnvironment(schema, minimal), {
    ...minimal,
    PORT: 3000,
    LOG_LEVEL: 'info',
    CHARGE_EXPIRES_IN_SECONDS: 86_400,
    REVIEW_TIMEOUT_SECONDS: 1_800,
    SCAN_INTERVAL_SECONDS: 10,
    WEBHOOK_TIMEOUT_MS: 15_000,
    WEBHOOK_RETRY_SECONDS: '5,30,120,600,1800,3600,7200,14400,28800,43200,86400,86400',
    WEBHOOK_ALLOW_PRIVATE: '',
    NATS_STREAM: 'PAYMENTS',
  });
});

t.test('what is given is read as its type says; other variables are left out', async (t) => {
  const env = { ...minimal, PORT: '0', RATE_LIMIT_PER_MINUTE: '0', LOG_LEVEL: 'silent', HOME: '/root' };
  const read = readEnvironment(schema, env);
  t.match(read, { PORT: 0, RATE_LIMIT_PER_MINUTE: 0, LOG_LEVEL: 'silent' });
  t.notOk('HOME' in read);
});

t.test('a password may hold a comma, and several servers of NATS are named with commas', async (t) => {
  const env = {
    ...minimal,
    DATABASE_URL: 'postgres://payments:s3,cr3t@127.0.0.1/payments',
    NATS_URL: 'nats://svc:s3cret@a:4222, nats://b',
  };
  t.match(readEnvironment(schema, env), env);
});

t.test('an empty variable counts as absent', async (t) => {
  t.equal(readEnvironment(schema, { ...minimal, PORT: '', ADMIN_URL: '' }).PORT, 3000);
  t.throws(() => readEnvironment(schema, { ...minimal, ADMIN_KEY: '' }), {
    message: 'ADMIN_KEY is required',
  });
});

for (const name of Object.keys(minimal)) {
  t.test(`without ${name} the error names it`, async (t) => {
    const { [name]: _, ...rest } = minimal as Record<string, string>;
    t.throws(() => readEnvironment(schema, rest), new ConfigurationError(`${name} is required`));
  });
}

t.test('of a few values, the error names all', async (t) => {
  t.throws(() => readEnvironment(schema, { ...minimal, LOG_LEVEL: 'loud' }), {
    message: 'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent',
  });
});

const wrong: [name: string, value: string][] = [
  ['DATABASE_URL', 'mysql://127.0.0.1/payments'],
  ['DATABASE_URL', 'payments'],
  ['NATS_URL', 'http://127.0.0.1:4222'],
  ['NATS_URL', 'nats://a:4222,http://b'],
  ['NATS_URL', 'nats://a:99999'],
  ['NATS_URL', 'nats://'],
  ['NATS_URL', 'wss://a:4222'],
  ['DATABASE_URL', 'postgres://127.0.0.1:99999/payments'],
  ['PUBLIC_URL', 'http://[::1'],
  ['NATS_STREAM', 'payments.created'],
  ['PUBLIC_URL', 'pay.example'],
  ['PUBLIC_URL', 'https://pay.example?x=1'],
  ['ADMIN_KEY', 'short'],
  ['LOG_LEVEL', 'loud'],
  ['PORT', 'http'],
  ['PORT', '-1'],
  ['PORT', '65536'],
  ['PORT', '30.5'],
  ['DATABASE_POOL_SIZE', '0'],
  ['CHARGE_EXPIRES_IN_SECONDS', '0'],
  ['REVIEW_TIMEOUT_SECONDS', 'half an hour'],
  ['SCAN_INTERVAL_SECONDS', '1e99'],
  ['WEBHOOK_TIMEOUT_MS', '15s'],
  ['WEBHOOK_RETRY_SECONDS', '5,,30'],
  ['WEBHOOK_RETRY_SECONDS', '5;30'],
  ['WEBHOOK_RETRY_SECONDS', '-5'],
  ['RATE_LIMIT_PER_MINUTE', '-1'],
];
for (const [name, value] of wrong) {
  t.test(`${name}=${value}: one line that names it, and repeats no value`, async (t) => {
    try {
      readEnvironment(schema, { ...minimal, [name]: value });
      t.fail('was accepted');
    } catch (error) {
      t.type(error, ConfigurationError);
      const { message } = error as Error;
      t.ok(message.startsWith(`${name} `), message);
      t.notMatch(message, /\n|s3cr3t/);
    }
  });
}

t.test('WEBHOOK_ALLOW_PRIVATE: CIDRs, comma-separated', async (t) => {
  t.equal(webhookPolicy('').allowPrivate, false);
  t.equal(webhookPolicy(' , ').allowPrivate, false);
  const { policy, allowPrivate } = webhookPolicy('127.0.0.0/8, ::1/128');
  t.equal(allowPrivate, true);
  t.equal(policy.allowsHostname('127.0.0.1'), true);
  t.equal(policy.allowsHostname('10.0.0.1'), false);
  for (const wrong of ['localhost', '10.0.0.0/33', '10.0.0.0/8;::1/128'])
    t.throws(() => webhookPolicy(wrong), { name: 'ConfigurationError', message: /^WEBHOOK_ALLOW_PRIVATE: / });
});

t.test('WEBHOOK_DENY: CIDRs that win over the allowed ones', async (t) => {
  const { policy, allowPrivate } = webhookPolicy('10.0.0.0/8', '10.1.0.0/16, 2001:db9::/32');
  t.equal(allowPrivate, true);
  t.strictSame(
    ['10.0.0.1', '10.1.0.1', '2001:db9::1', '2a00::1'].map((ip) => policy.allows(ip)),
    [true, false, false, true],
  );
  for (const wrong of ['example.com', '2001:db9::/129', '10.1.0.0'])
    t.throws(() => webhookPolicy('', wrong), { name: 'ConfigurationError', message: /^WEBHOOK_DENY: / });
});
