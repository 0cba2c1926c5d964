import { existsSync } from 'node:fs';
import { readBanksFile, readTestBankFile } from '@payments/pix/banks-file';
import { type BankName, basePaths } from '@payments/pix-simulator/banks/all';
import t from 'tap';
import {
  keepBankUrls,
  readBankNames,
  readBankUrls,
  simulatedBanksFile,
  testBankFile,
  testSimulatorEnv,
  writeBanksFile,
  writeTestBankFile,
} from '../src/simulated-banks.ts';
import { bankUrlsOf, readStartSettings } from '../src/start-settings.ts';

t.test('defaults', async (t) => {
  const settings = readStartSettings({}, '/folder');
  t.match(settings, {
    ports: {
      API_PORT: 3000,
      ADMIN_PORT: 3001,
      DISPATCHER_PORT: 3002,
      SIMULATOR_PORT: 3003,
      MAILBOX_PORT: 3004,
    },
    dataDir: '/folder/.data',
    adminKey: 'dev-admin-key',
    databaseUrl: undefined,
    natsUrl: undefined,
    env: {
      NODE_ENV: 'development',
      ADMIN_KEY: 'dev-admin-key',
      PUBLIC_URL: 'http://localhost:3000',
      PIX_URL: 'http://localhost:3003',
      WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8,::1/128',
      RATE_LIMIT_PER_MINUTE: '0',
      QR_IMAGES_PER_MINUTE: '0',
      PAYER_PAGES_PER_MINUTE: '0',
    },
  });
});

t.test('given settings are passed on', async (t) => {
  const given = {
    API_PORT: '4000',
    ADMIN_KEY: 'other-key',
    DATA_DIR: '/data',
    REVIEW_TIMEOUT_SECONDS: '5',
    NATS_URL: '',
  };
  const settings = readStartSettings(given, '/folder');
  t.match(settings, {
    adminKey: 'other-key',
    dataDir: '/data',
    env: { REVIEW_TIMEOUT_SECONDS: '5', PUBLIC_URL: 'http://localhost:4000' },
  });
  t.equal(settings.natsUrl, undefined, 'an empty variable counts as absent');
});

t.test('an unknown bank is refused by the name of its setting', async (t) => {
  t.throws(() => readStartSettings({ PIX_PSP: 'foo' }, '/folder'), {
    message: /^PIX_PSP must be one of bacen, .*, not foo$/,
  });
});

t.test('the panel and the metrics may have ports of their own', async (t) => {
  const { ports, env } = readStartSettings({ PANEL_PORT: '4314', METRICS_PORT: '4315' }, '/folder');
  t.match(ports, { PANEL_PORT: 4314, METRICS_PORT: 4315 });
  t.match(env, { ADMIN_URL: 'http://localhost:4314' });
  const message = 'ADMIN_PORT and PANEL_PORT are both 3001: give one of them another';
  t.throws(() => readStartSettings({ PANEL_PORT: '3001' }, '/folder'), { message });
});

t.test('a mailbox takes the mails, unless SMTP_URL names a mail server', async (t) => {
  const { env } = readStartSettings({}, '/folder');
  t.equal(env.MAIL_FROM, 'Painel de pagamentos <painel@pagamentos.example>');
  const given = { SMTP_URL: 'smtp://mail.example', MAIL_FROM: 'pix@loja.example' };
  const elsewhere = readStartSettings(given, '/folder');
  t.equal(elsewhere.ports.MAILBOX_PORT, undefined);
  t.match(elsewhere.env, given);
  t.equal(readStartSettings({ ...given, MAIL_FROM: '' }, '/folder').env.MAIL_FROM, undefined);
  t.equal(readStartSettings({ MAILBOX_PORT: '4004' }, '/folder').ports.MAILBOX_PORT, 4004);
  const banks = readBankNames(['--banks', 'efi,bb,itau']);
  t.equal(readStartSettings({}, '/folder', banks).ports.MAILBOX_PORT, 3006, 'the banks have 3003 to 3005');
  const message = 'ADMIN_PORT and MAILBOX_PORT are both 3001: give one of them another';
  t.throws(() => readStartSettings({ MAILBOX_PORT: '3001' }, '/folder'), { message });
});

t.test('a bank that is named is simulated as that bank is', async (t) => {
  const { ports, env } = readStartSettings({ PIX_PSP: 'efi', PIX_ACCOUNT: '123' }, '/folder');
  t.equal(ports.SIMULATOR_PORT, 3003);
  t.match(env, { PIX_PSP: 'efi', PROFILE: 'efi', PIX_URL: 'http://localhost:3003/v2', PIX_ACCOUNT: '123' });
});

t.test('--banks simulates several, from SIMULATOR_PORT on', async (t) => {
  const names = readBankNames(['--banks', 'efi,bb']);
  t.same(names, ['efi', 'bb']);
  t.match(readStartSettings({ SIMULATOR_PORT: '4003' }, '/folder', names), {
    banks: [
      { id: 'efi', port: 4003 },
      { id: 'bb', port: 4004 },
    ],
    env: { BANKS_FILE: '/folder/.data/simulated-banks.json' },
  });
  t.same(readBankNames([]), []);
  t.match(readStartSettings({}, '/folder'), { banks: [], env: { BANKS_FILE: undefined } });
});

t.test('the services take the file of every simulated bank; it goes with --banks', async (t) => {
  const dataDir = t.testdir();
  const banks = Object.keys(basePaths).map((id, index) => ({ id: id as BankName, port: 4003 + index }));
  writeBanksFile({ dataDir, banks, apiPort: 4000 });
  const accounts = readBanksFile(simulatedBanksFile(dataDir), 1_000);
  t.same(
    accounts.map(({ id }) => id),
    Object.keys(basePaths),
  );
  writeBanksFile({ dataDir, banks: [], apiPort: 4000 });
  t.notOk(existsSync(simulatedBanksFile(dataDir)));
});

t.test('the banks at which a start charges are on record, none of them where others are named', async (t) => {
  const dataDir = t.testdir();
  t.same(readBankUrls(dataDir), [], 'nothing has run');
  const several = ['http://localhost:3003', 'http://localhost:3004'];
  for (const [env, names, urls] of [
    [{}, [], ['http://localhost:3003']],
    [{}, ['efi', 'bb'], several],
    [{ PIX_URL: 'https://psp.example' }, [], []],
    [{ BANKS_FILE: 'banks.json' }, [], []],
  ] as const) {
    keepBankUrls(dataDir, bankUrlsOf(readStartSettings(env, '/folder', names)));
    t.same(readBankUrls(dataDir), urls);
  }
});

t.test('the bank of test stores is simulated beside whatever other banks there are', async (t) => {
  const dataDir = t.testdir();
  for (const [env, names] of [
    [{}, []],
    [{ PIX_URL: 'https://psp.example' }, []],
    [{ BANKS_FILE: 'banks.json' }, []],
    [{}, ['efi', 'bb']],
  ] as const)
    t.match(readStartSettings({ ...env, DATA_DIR: dataDir }, '/folder', names), {
      simulatesTestBank: true,
      env: { TEST_BANK_FILE: testBankFile(dataDir) },
    });
  t.match(readStartSettings({ TEST_BANK_FILE: 'own.json' }, '/folder'), {
    simulatesTestBank: false,
    env: { TEST_BANK_FILE: 'own.json' },
  });
  writeTestBankFile({ dataDir, port: 4010 });
  const { PIX_CLIENT_ID: clientId, PIX_CLIENT_SECRET: clientSecret, PIX_KEY: key } = testSimulatorEnv();
  t.match(readTestBankFile(testBankFile(dataDir), 1_000), {
    id: 'test',
    options: { url: 'http://localhost:4010', clientId, clientSecret, key, profile: { psp: 'test' } },
  });
});

const wrongBanks: [string[], NodeJS.ProcessEnv, RegExp][] = [
  [['--banks', 'efi,nubank'], {}, /^--banks: no bank nubank can be simulated; there are bacen, efi, bb, .*$/],
  [['--banks', ''], {}, /^--banks: no bank without a name can be simulated/],
  [['--banks', 'efi,efi'], {}, /^--banks: efi stands there twice$/],
  [['--bank', 'efi'], {}, /^Unknown option '--bank'$/],
  [['--banks', 'efi'], { PIX_URL: 'https://psp.example' }, /PIX_URL names others: unset it$/],
  [['--banks', 'efi'], { BANKS_FILE: 'banks.json' }, /BANKS_FILE names others: unset it$/],
  [['--banks', 'efi,bb'], { API_PORT: '3004' }, /^API_PORT and SIMULATOR_PORT \+ 1 are both 3004/],
];
for (const [args, env, message] of wrongBanks) {
  const read = () => readStartSettings(env, '/folder', readBankNames(args));
  t.throws(read, { name: 'StartError', message }, args.join(' '));
}

t.test('with a PSP given there is no simulator', async (t) => {
  const { ports, env } = readStartSettings({ PIX_URL: 'https://psp.example' }, '/folder');
  t.equal(ports.SIMULATOR_PORT, undefined);
  t.equal(env.PIX_URL, 'https://psp.example');
});

for (const name of ['DATABASE_URL', 'NATS_URL']) {
  t.throws(() => readStartSettings({ [name]: 'mysql://127.0.0.1/x' }, '/folder'), {
    name: 'ConfigurationError',
    message: new RegExp(`^${name} `),
  });
}

const wrong: [NodeJS.ProcessEnv, string][] = [
  [{ API_PORT: 'http' }, 'API_PORT must be a port number from 1 to 65535, not http'],
  [{ API_PORT: '0x10' }, 'API_PORT must be a port number from 1 to 65535, not 0x10'],
  [{ DISPATCHER_PORT: '70000' }, 'DISPATCHER_PORT must be a port number from 1 to 65535, not 70000'],
  [{ ADMIN_PORT: '3000' }, 'API_PORT and ADMIN_PORT are both 3000: give one of them another'],
];
for (const [env, message] of wrong) {
  t.throws(() => readStartSettings(env, '/folder'), { name: 'StartError', message }, JSON.stringify(env));
}
