import { readEnvironment } from '@payments/runtime/environment';
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { profiles } from '../src/profiles/all.ts';
import { pixOptions, pixSettings } from '../src/settings.ts';

const schema = Type.Object(pixSettings);
const minimal = {
  PIX_URL: 'https://bank.example/v2',
  PIX_CLIENT_ID: 'client',
  PIX_CLIENT_SECRET: 's3cr3t',
  PIX_KEY: 'pix@example.com',
};
const take = (env: Record<string, string>) =>
  pixOptions(readEnvironment(schema, { ...minimal, ...env }), 1_000);

t.test('the default is the standard, to the letter', async (t) => {
  t.same(take({}).profile, profiles.bacen);
});

for (const name of Object.keys(minimal))
  t.test(`without ${name} the error names it`, async (t) => {
    t.throws(() => take({ [name]: '' }), {
      name: 'ConfigurationError',
      message: new RegExp(`^${name} is required`),
    });
  });

t.test('the bank is named in one setting', async (t) => {
  const env = { PIX_PSP: 'sicredi', PIX_URL: '', PIX_ALLOW_HTTP: 'false' };
  t.throws(() => take(env), {
    message: /^PIX_P12_FILE, or PIX_CERT_FILE with PIX_KEY_FILE, is required/,
  });
  t.match(take({ PIX_PSP: 'sicredi', PIX_URL: 'https://simulated.example' }), {
    profile: { psp: 'sicredi' },
  });
});

t.test('what a bank needs is asked for by name', async (t) => {
  t.throws(() => take({ PIX_PSP: 'bb' }), { message: 'PIX_APP_KEY is required with PIX_PSP=bb' });
  t.equal(take({ PIX_PSP: 'bb', PIX_APP_KEY: 'key' }).appKey, 'key');
  t.equal(take({ PIX_PSP: 'sicoob', PIX_CLIENT_SECRET: '' }).clientSecret, undefined);
});

t.test('every part of what is known of a bank can be replaced', async (t) => {
  const { profile, callsPerMinute } = take({
    PIX_PSP: 'efi',
    PIX_TOKEN_CREDENTIALS: 'body',
    PIX_TOKEN_FORMAT: 'form',
    PIX_TOKEN_GRANT: 'query',
    PIX_SCOPES: 'cob.write cob.read',
    PIX_HEADERS: 'x-id={uuid},x-app={appKey}',
    PIX_QUERY: 'a=b=c',
    PIX_PATHS: 'putCharge=../v3/cob,listPix=received',
    PIX_MISSING: '404,410:gone',
    PIX_DENIED: '401,400:escopo',
    PIX_NOTHING: '204',
    PIX_CODE_FIELDS: 'emv,brcode',
    PIX_LIST_DAYS: '1',
    PIX_LIST_PAGE_SIZE: '50',
    PIX_LIST_LAG_SECONDS: '5',
    PIX_LIST_LACKS_TXID: 'true',
    PIX_CODE_LOCATION_DIFFERS: 'true',
    PIX_CALLBACK_HEADERS: 'none',
    PIX_CALLS_PER_MINUTE: '30',
  });
  t.match(profile, {
    credentials: 'body',
    tokenFormat: 'form',
    grantIn: 'query',
    scopes: ['cob.write', 'cob.read'],
    headers: { 'x-id': '{uuid}', 'x-app': '{appKey}' },
    query: { a: 'b=c' },
    paths: { putCharge: '../v3/cob', listPix: 'received' },
    missing: ['404', '410:gone'],
    denied: ['401', '400:escopo'],
    nothing: ['204'],
    codeFields: ['emv', 'brcode'],
    listDays: 1,
    pageSize: 50,
    listLagSeconds: 5,
    listLacksTxid: true,
    codeLocationDiffers: true,
  });
  t.same(profile?.callbackHeaders, {});
  t.equal(callsPerMinute, 30);
});

const wrong: [name: string, value: string][] = [
  ['PIX_URL', 'http://'],
  ['PIX_URL', 'https://bank.example:99999'],
  ['PIX_URL', 'ftp://bank.example'],
  ['PIX_PSP', 'nubank'],
  ['PIX_TOKEN_CREDENTIALS', 'header'],
  ['PIX_PATHS', 'nowhere=x'],
  ['PIX_MISSING', 'not found'],
  ['PIX_LIST_DAYS', '0'],
  ['PIX_CALLS_PER_MINUTE', 'many'],
  ['PIX_HEADERS', 'x'],
  ['PIX_HEADERS', 'x-a=1\n2'],
  ['PIX_HEADERS', 'x-a=1,x-b=✓'],
];
for (const [name, value] of wrong)
  t.test(`${name}=${value}: one line that names it`, async (t) => {
    t.throws(() => take({ [name]: value }), {
      name: 'ConfigurationError',
      message: new RegExp(`^${name} [^\\n]*$`),
    });
  });
