import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigurationError, readEnvironment } from '@payments/runtime/environment';
import { Type } from '@sinclair/typebox';
import { generate } from 'selfsigned';
import t, { type Test } from 'tap';
import { bankSettings, readBanks } from '../src/bank-settings.ts';
import { tokenUrlOf } from '../src/profiles/addresses.ts';

const folder = t.testdir({ secrets: { bb: 'from-a-file\n', empty: ' \n' } });
const file = join(folder, 'banks.json');
const { cert, private: key } = await generate([{ name: 'commonName', value: 'loja' }], { keyType: 'ec' });
mkdirSync(join(folder, 'tls'));
writeFileSync(join(folder, 'tls', 'client.crt'), cert);
writeFileSync(join(folder, 'tls', 'client.key'), key);
writeFileSync(join(folder, 'tls', 'garbage.p12'), 'no certificate');

const first = {
  id: 'efi',
  psp: 'efi',
  url: 'https://efi.example',
  clientId: 'efi-client',
  clientSecret: 's3cr3t',
  key: 'efi@example.com',
};
const second = {
  id: 'bb-2',
  psp: 'bb',
  url: 'https://bb.example/pix/v2',
  tokenUrl: 'https://bb.example/oauth/token',
  clientId: 'bb-client',
  clientSecretFile: 'secrets/bb',
  key: 'bb@example.com',
  appKey: 'app',
  callbackUrl: 'https://pix-bb.example',
  callsPerMinute: 60,
};

function read(env: Record<string, string> = {}) {
  return readBanks(readEnvironment(Type.Object(bankSettings), { BANKS_FILE: file, ...env }), 1_000);
}

function readText(text: string) {
  writeFileSync(file, text);
  return read();
}

const readEntries = (banks: unknown) => readText(JSON.stringify({ banks }));

t.test('banks in order of preference, with secrets and certificates in files beside it', async (t) => {
  const tls = { certFile: 'tls/client.crt', keyFile: 'tls/client.key', caFile: 'tls/client.crt' };
  const accounts = readEntries([{ ...first, ...tls, account: null }, second]);
  t.match(accounts, [
    {
      id: 'efi',
      callbackUrl: null,
      options: { profile: { psp: 'efi' }, url: first.url, clientSecret: 's3cr3t', timeoutMs: 1_000 },
    },
    {
      id: 'bb-2',
      callbackUrl: 'https://pix-bb.example',
      options: {
        profile: { psp: 'bb' },
        tokenUrl: second.tokenUrl,
        clientSecret: 'from-a-file',
        key: 'bb@example.com',
        appKey: 'app',
        callsPerMinute: 60,
      },
    },
  ]);
  t.same(accounts[0]?.options.tls, {
    certFile: join(folder, 'tls/client.crt'),
    keyFile: join(folder, 'tls/client.key'),
    caFile: join(folder, 'tls/client.crt'),
  });
});

t.test('a flag is true or false', async (t) => {
  const plain = { ...first, url: 'http://simulated.example' };
  t.equal(readEntries([{ ...plain, allowHttp: true }])[0]?.options.url, plain.url);
  t.throws(() => readEntries([{ ...plain, allowHttp: false }]), {
    message: /^BANKS_FILE: bank efi: url must be/,
  });
});

t.test('a file takes the place of all PIX_*', async (t) => {
  readEntries([first]);
  const accounts = read({
    PIX_CLIENT_ID: 'other',
    PIX_KEY: 'other@example.com',
    PIX_URL: 'https://other.example',
  });
  t.match(accounts, [{ id: 'efi', options: { clientId: 'efi-client', url: first.url } }]);
  t.equal(accounts.length, 1);
});

const { clientId: _, ...withoutClient } = first;
const { clientSecretFile: __, ...withoutSecret } = second;
const wrongEntries: [why: string, entry: unknown, line: string | RegExp][] = [
  ['no object', 's3cr3t', 'bank 1 must be an object'],
  ['no id', { ...first, id: undefined }, 'bank 1: id must be 1 to 32 small letters, digits and hyphens'],
  ['a bad id', { ...first, id: 'Efí' }, 'bank 1: id must be 1 to 32 small letters, digits and hyphens'],
  ['a number as id', { ...first, id: 1 }, 'bank 1: id must be 1 to 32 small letters, digits and hyphens'],
  ['an unknown field', { ...first, clientID: 's3cr3t' }, 'bank efi: "clientID" is no field of a bank'],
  ['an inherited name', { ...first, constructor: 's3cr3t' }, 'bank efi: "constructor" is no field of a bank'],
  ['two lines as field', { ...first, 'a\nb': 1 }, 'bank efi: "a\\nb" is no field of a bank'],
  ['no clientId', withoutClient, 'bank efi: clientId is required'],
  ['an empty clientId', { ...first, clientId: '' }, 'bank efi: clientId is required'],
  ['a number for a text', { ...first, clientSecret: 12 }, 'bank efi: clientSecret must be a text'],
  ['a list for a text', { ...first, key: ['s3cr3t'] }, 'bank efi: key must be a text'],
  ['a text for a number', { ...first, callsPerMinute: '60' }, 'bank efi: callsPerMinute must be a number'],
  ['a number too small', { ...first, callsPerMinute: 0 }, 'bank efi: callsPerMinute must be >= 1'],
  ['a text for a flag', { ...first, allowHttp: 'yes' }, 'bank efi: allowHttp must be true or false'],
  ['an unknown profile', { ...first, psp: 'nubank' }, /^BANKS_FILE: bank efi: psp must be one of bacen, /],
  ['no address', { ...first, url: 'efi.example' }, /^BANKS_FILE: bank efi: url must match pattern /],
  ['plain http', { ...first, url: 'http://efi.example' }, /^BANKS_FILE: bank efi: url must be https/],
  ['a secret that the bank needs', withoutSecret, 'bank bb-2: clientSecret is required with psp=bb'],
  [
    'a missing secret file',
    { ...second, clientSecretFile: 'none' },
    "bank bb-2: clientSecretFile can't be read: ENOENT",
  ],
  [
    'a folder',
    { ...second, clientSecretFile: 'secrets' },
    "bank bb-2: clientSecretFile can't be read: EISDIR",
  ],
  [
    'an empty secret file',
    { ...second, clientSecretFile: 'secrets/empty' },
    'bank bb-2: clientSecretFile is empty',
  ],
  [
    'a secret twice',
    { ...second, clientSecret: 's3cr3t' },
    'bank bb-2: clientSecret stands there and in a file of its own',
  ],
  [
    'a key without certificate',
    { ...first, keyFile: 'tls/client.key' },
    'bank efi: certFile is required with keyFile',
  ],
  [
    'a broken certificate',
    { ...first, p12File: 'tls/garbage.p12' },
    /^BANKS_FILE: bank efi: p12File can't be used: /,
  ],
];
for (const [why, entry, line] of wrongEntries)
  t.test(`${why}: one line that names bank and field, and no secret`, async (t) => {
    refused(t, () => readEntries([entry]), line);
  });

const twin = { ...first, id: 'efi-2' };
const oneAccount = (id: string, other: string) =>
  `bank ${id}: the address, client and key are bank ${other}'s; of one account, each entry needs a key of its own`;
const twins: [why: string, change: object][] = [
  ['as it is', {}],
  ['the host in capitals, with its default port', { url: 'https://EFI.example:443' }],
  ['a slash at the end', { url: 'https://efi.example/' }],
  ['another secret', { clientSecret: 'another' }],
  ['the key as people write it', { key: ' EFI@example.com' }],
];
for (const [why, change] of twins)
  t.test(`one account in two entries, ${why}: one line that names both`, async (t) => {
    const entries = [first, second, { ...twin, ...change }];
    refused(t, () => readEntries(entries), oneAccount('efi-2', 'efi'));
  });

t.test('keys of one account are compared as DICT writes them', async (t) => {
  for (const [own, written] of [
    ['+5511987654321', '+55 (11) 98765-4321'],
    ['12345678909', '123.456.789-09'],
    ['7d9f0335-8dcc-4054-9bf9-0dbd61d36906', '7D9F0335-8DCC-4054-9BF9-0DBD61D36906'],
  ]) {
    const entries = [
      { ...first, key: own },
      { ...twin, key: written },
    ];
    refused(t, () => readEntries(entries), oneAccount('efi-2', 'efi'));
  }
});

t.test('entries may share an address', async (t) => {
  for (const own of [
    { key: 'loja-b@example.com' },
    { clientId: 'another' },
    { url: 'https://efi.example/v3' },
    { url: 'https://efi.example:8443' },
    { account: '1234' },
  ])
    t.equal(readEntries([first, { ...twin, ...own }]).length, 2, Object.keys(own).join());
  t.throws(() =>
    readEntries([
      { ...first, account: '1' },
      { ...twin, account: '1' },
    ]),
  );
});

const wrongFiles: [why: string, text: string, line: string][] = [
  ['no JSON', '{"banks": [{"clientSecret": "s3cr3t",]}', 'the file must be a JSON object'],
  ['an empty file', '', 'the file must be a JSON object'],
  ['a bare list', '[]', 'the file must be a JSON object'],
  ['no list', '{"banks": {"id": "efi"}}', 'banks must be a list of at least one bank'],
  ['no bank', '{"banks": []}', 'banks must be a list of at least one bank'],
  ['an id twice', JSON.stringify({ banks: [first, second, first] }), 'bank efi: id stands there twice'],
];
for (const [why, text, line] of wrongFiles)
  t.test(`${why}: one line, and no secret`, async (t) => refused(t, () => readText(text), line));

t.test('a byte order mark before the file, or before a secret, is no part of it', async (t) => {
  writeFileSync(join(folder, 'secrets', 'marked'), '\uFEFFmarked\r\n');
  const entry = { ...first, clientSecret: undefined, clientSecretFile: 'secrets/marked' };
  const [bank] = readText(`\uFEFF${JSON.stringify({ banks: [entry] })}`);
  t.equal(bank?.options.clientSecret, 'marked');
});

t.test('a file that is not there', async (t) => {
  refused(t, () => read({ BANKS_FILE: join(folder, 'none.json') }), "the file can't be read: ENOENT");
});

function refused(t: Test, act: () => unknown, line: string | RegExp) {
  try {
    act();
  } catch (error) {
    t.type(error, ConfigurationError);
    const { message } = error as Error;
    if (typeof line === 'string') t.equal(message, `BANKS_FILE: ${line}`);
    else t.match(message, line);
    t.notMatch(message, /\n|s3cr3t|from-a-file/);
    return;
  }
  t.fail('was accepted');
}

const test = {
  id: 'test',
  psp: 'test',
  url: 'http://127.0.0.1:9',
  clientId: 'test-client',
  clientSecret: 's3cr3t',
  key: 'test@example.com',
};

t.test('the bank of test stores gets its tokens where no real bank has them', async (t) => {
  const [, account] = readEntries([first, test]);
  t.match(account, { id: 'test', options: { profile: { psp: 'test', tokenPath: '/bank/token' } } });
  t.equal(tokenUrlOf(account!.options.profile, 'http://127.0.0.1:9/api/v2'), 'http://127.0.0.1:9/bank/token');
});

const wrongTests: [why: string, entries: object[], line: string][] = [
  ['under another id', [{ ...test, id: 'sandbox' }], 'bank sandbox: psp test and id test need each other'],
  ['another psp under its id', [{ ...first, id: 'test' }], 'bank test: psp test and id test need each other'],
  ['no psp under its id', [{ ...test, psp: null }], 'bank test: psp test and id test need each other'],
  [
    'tokens from elsewhere',
    [{ ...test, tokenUrl: 'https://bank.example/oauth/token' }],
    "bank test: tokenUrl is the simulated bank's own",
  ],
  [
    'its address in another entry',
    [{ ...first, url: `${test.url}/v2` }, test],
    'bank efi: the address is that of the bank test',
  ],
];
for (const [why, entries, line] of wrongTests)
  t.test(`the bank of test stores is refused with ${why}`, async (t) => {
    t.throws(() => readEntries(entries), { message: `BANKS_FILE: ${line}` });
  });

t.test('a file of its own brings the bank of test stores to PIX_* and to BANKS_FILE', async (t) => {
  const own = join(folder, 'test-bank.json');
  const write = (...banks: object[]) => writeFileSync(own, JSON.stringify({ banks }));
  const pix = {
    PIX_URL: 'https://pix.example',
    PIX_CLIENT_ID: 'c',
    PIX_CLIENT_SECRET: 's',
    PIX_KEY: 'k@x.example',
  };
  const idsOf = (env: Record<string, string>) => {
    const settings = readEnvironment(Type.Object(bankSettings), { TEST_BANK_FILE: own, ...env });
    return readBanks(settings, 1_000).map(({ id, options }) => `${id} ${options.clientId}`);
  };
  write(test);
  t.same(idsOf(pix), ['default c', 'test test-client']);
  readEntries([first]);
  t.same(idsOf({ BANKS_FILE: file }), ['efi efi-client', 'test test-client']);
  readEntries([first, { ...test, clientId: 'named-there' }]);
  t.same(
    idsOf({ BANKS_FILE: file }),
    ['efi efi-client', 'test named-there'],
    'the file of several comes first',
  );
  write(test, first);
  t.throws(() => idsOf(pix), { message: 'TEST_BANK_FILE: banks must be the bank test alone' });
  write(first);
  t.throws(() => idsOf(pix), { message: 'TEST_BANK_FILE: banks must be the bank test alone' });
  write({ ...test, url: pix.PIX_URL });
  t.throws(() => idsOf(pix), { message: /bank default: the address is that of the bank test$/ });
});

t.test('PIX_PSP can not be the bank of test stores', async (t) => {
  const env = { PIX_PSP: 'test', PIX_CLIENT_ID: 'c', PIX_KEY: 'k', PIX_URL: test.url };
  t.throws(() => readEnvironment(Type.Object(bankSettings), env), {
    message: /^PIX_PSP must be one of bacen, /,
  });
});
