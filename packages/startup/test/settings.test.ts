import { readBanks } from '@payments/pix/bank-settings';
import { ConfigurationError, readEnvironment } from '@payments/runtime/environment';
import { portSetting } from '@payments/runtime/settings';
import { deliverySettings } from '@payments/webhooks/settings';
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { sharedSettings } from '../src/settings.ts';

const schema = Type.Object({ ...sharedSettings, ...deliverySettings, PORT: portSetting(3000, 'Port') });
const minimal = {
  DATABASE_URL: 'postgres://payments:s3cr3t@127.0.0.1:5432/payments',
  NATS_URL: 'nats://127.0.0.1:4222',
  PUBLIC_URL: 'https://pay.example',
  PIX_URL: 'https://bank.example/v2',
  PIX_CLIENT_ID: 'client',
  PIX_CLIENT_SECRET: 's3cr3t',
  PIX_KEY: 'pix@example.com',
};

t.test('defaults', async (t) => {
  t.match(readEnvironment(schema, minimal), {
    ...minimal,
    PORT: 3000,
    LOG_LEVEL: 'info',
    REVIEW_TIMEOUT_SECONDS: 1_800,
    WEBHOOK_TIMEOUT_MS: 15_000,
    WEBHOOK_RETRY_SECONDS: '5,30,120,600,1800,3600,7200,14400,28800,43200,86400,86400',
    WEBHOOK_ALLOW_PRIVATE: '',
    NATS_STREAM: 'PAYMENTS',
  });
});

t.test('values are read by their types; other variables are left out', async (t) => {
  const env = { ...minimal, PORT: '0', CHARGE_GRACE_SECONDS: '0', LOG_LEVEL: 'silent', HOME: '/root' };
  const read = readEnvironment(schema, env);
  t.match(read, { PORT: 0, CHARGE_GRACE_SECONDS: 0, LOG_LEVEL: 'silent' });
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
  t.equal(readEnvironment(schema, { ...minimal, PORT: '', PIX_CERT_FILE: '' }).PORT, 3000);
  t.throws(() => readEnvironment(schema, { ...minimal, PUBLIC_URL: '' }), {
    message: 'PUBLIC_URL is required',
  });
});

// Which bank is named decides whether it has an address, and a client with a secret: the tests of `pix` have that.
const decidedByBank = ['PIX_URL', 'PIX_CLIENT_SECRET'];
for (const name of Object.keys(minimal).filter((name) => !decidedByBank.includes(name))) {
  t.test(`without ${name} the error names it`, async (t) => {
    const { [name]: _, ...rest } = minimal as Record<string, string>;
    t.throws(
      () => readBanks(readEnvironment(schema, rest), 1_000),
      new ConfigurationError(`${name} is required`),
    );
  });
}

t.test('the error names the allowed values', async (t) => {
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
  ['NATS_URL', 'nats://svc:100%sure@a:4222'],
  ['NATS_URL', 'nats://b, nats://svc:%@a'],
  ['NATS_URL', 'nats://svc:12#34@a:4222'],
  ['NATS_URL', 'nats://svc:12/34@a:4222'],
  ['NATS_URL', 'nats://svc:12?34@a:4222'],
  ['NATS_URL', 'nats://'],
  ['NATS_URL', 'wss://a:4222'],
  ['DATABASE_URL', 'postgres://127.0.0.1:99999/payments'],
  ['PIX_URL', 'http://'],
  ['PIX_URL', 'https://bank.example:99999'],
  ['PUBLIC_URL', 'http://[::1'],
  ['NATS_STREAM', 'payments.created'],
  ['PUBLIC_URL', 'pay.example'],
  ['PUBLIC_URL', 'https://pay.example?x=1'],
  ['PUBLIC_URL', 'https://user:word@pay.example'],
  ['ADMIN_URL', 'https://user@panel.example/'],
  // The panel's pages lie at fixed paths.
  ['ADMIN_URL', 'https://example.com/payments'],
  ['PIX_URL', 'ftp://bank.example'],
  ['LOG_LEVEL', 'loud'],
  ['PORT', 'http'],
  ['PORT', '-1'],
  ['PORT', '65536'],
  ['PORT', '30.5'],
  ['DATABASE_POOL_SIZE', '0'],
  ['REVIEW_TIMEOUT_SECONDS', '0'],
  ['REVIEW_TIMEOUT_SECONDS', 'half an hour'],
  ['REVIEW_TIMEOUT_SECONDS', '1e99'],
  ['WEBHOOK_TIMEOUT_MS', '15s'],
  ['WEBHOOK_RETRY_SECONDS', '5,,30'],
  ['WEBHOOK_RETRY_SECONDS', '5;30'],
  ['WEBHOOK_RETRY_SECONDS', '-5'],
  ['CHARGE_GRACE_SECONDS', '-1'],
  ['OTEL_EXPORTER_OTLP_HEADERS', 'x'],
  ['OTEL_RESOURCE_ATTRIBUTES', 'a=b,c'],
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
