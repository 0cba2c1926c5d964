import { readEnvironment } from '@payments/runtime/environment';
import t from 'tap';
import { apiSettings } from '../src/settings.ts';

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
