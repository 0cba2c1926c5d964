import { readEnvironment } from '@payments/runtime/environment';
import t from 'tap';
import { dispatcherSettings } from '../src/settings.ts';

const minimal = {
  DATABASE_URL: 'postgres://payments:s3cr3t@127.0.0.1:5432/payments',
  NATS_URL: 'nats://127.0.0.1:4222',
  PUBLIC_URL: 'https://pay.example',
};

// A time beyond what PostgreSQL or a Date can hold would stop a scan, a retry or a refund for ever.
const wrong: [name: string, value: string][] = [
  ['PERSONAL_DATA_DAYS', '36501'],
  ['TEST_DATA_DAYS', '36501'],
  ['RETENTION_DAYS', '36501'],
  ['WEBHOOK_RETRY_SECONDS', '5,100000000'],
  ['REFUND_RETRY_SECONDS', '100000000'],
  ['REFUND_RETRY_SECONDS', '60,'],
];
for (const [name, value] of wrong) {
  t.test(`${name}=${value}: one line that names it`, async (t) => {
    const read = () => readEnvironment(dispatcherSettings, { ...minimal, [name]: value });
    t.throws(read, { name: 'ConfigurationError', message: new RegExp(`^${name} [^\\n]+$`) });
  });
}

t.test('the longest times are taken', async (t) => {
  const longest = { PERSONAL_DATA_DAYS: '36500', WEBHOOK_RETRY_SECONDS: '0.5,99999999.5' };
  t.match(readEnvironment(dispatcherSettings, { ...minimal, ...longest }), {
    PERSONAL_DATA_DAYS: 36_500,
    WEBHOOK_RETRY_SECONDS: '0.5,99999999.5',
  });
});
