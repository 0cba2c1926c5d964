import t from 'tap';
import type { PixSettings } from '../src/settings.ts';
import { pixOptions } from '../src/settings.ts';

/** Plain http to a bank beyond this machine stops the start, unless it is allowed. */
const settings: PixSettings = {
  PIX_PSP: 'bacen',
  PIX_URL: 'https://bank.example/v2',
  PIX_CLIENT_ID: 'client',
  PIX_CLIENT_SECRET: 'secret',
  PIX_KEY: 'pix@example.com',
  PIX_MERCHANT_NAME: 'PAGAMENTOS',
  PIX_MERCHANT_CITY: 'BRASILIA',
  PIX_ALLOW_HTTP: 'false',
};
const take = (addresses: Record<string, string>) => pixOptions({ ...settings, ...addresses }, 1_000);

const here = ['localhost', 'bank.localhost', 'LOCALHOST', '127.0.0.1', '127.1', '127.200.0.1', '[::1]'];
for (const host of here)
  t.test(`http://${host} is this machine`, async (t) => {
    const url = `http://${host}:3003`;
    t.match(take({ PIX_URL: url, PIX_TOKEN_URL: `${url}/token` }), { url, tokenUrl: `${url}/token` });
  });

const elsewhere = [
  'bank.example',
  'simulator',
  '10.0.0.1',
  '[fd00::1]',
  'localhost.bank.example',
  '127.0.0.1.bank.example',
  'notlocalhost',
  'localhost@bank.example',
];
for (const host of elsewhere)
  t.test(`http://${host} is not`, async (t) => {
    for (const variable of ['PIX_URL', 'PIX_TOKEN_URL']) {
      const addresses = { [variable]: `http://${host}/v2` };
      const message = new RegExp(`^${variable} must be https[^\\n]*PIX_ALLOW_HTTP=true[^\\n]*$`);
      t.throws(() => take(addresses), { name: 'ConfigurationError', message });
      t.doesNotThrow(() => take({ ...addresses, PIX_ALLOW_HTTP: 'true' }));
    }
  });

t.test('https goes anywhere', async (t) => {
  t.match(take({ PIX_TOKEN_URL: 'https://auth.bank.example' }), { tokenUrl: 'https://auth.bank.example' });
});
