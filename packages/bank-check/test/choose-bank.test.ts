import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBanks } from '@payments/testing/several-banks';
import t from 'tap';
import { checkBank, chooseBank } from '../src/check.ts';

const entry = (id: string) => ({
  id,
  psp: 'efi',
  url: 'https://bank.example',
  clientId: id,
  clientSecret: 'secret',
  key: `${id}@example.com`,
});
const fileOf = (t: { testdir(): string }, ...ids: string[]) => {
  const file = join(t.testdir(), 'banks.json');
  writeFileSync(file, JSON.stringify({ banks: ids.map(entry) }));
  return file;
};

t.test('the bank comes from the file, and no PIX_* beside it counts', async (t) => {
  const file = fileOf(t, 'one', 'two');
  const env = {
    BANKS_FILE: file,
    PIX_URL: 'https://other.example',
    PIX_KEY_FILE: 'key.pem',
    PUBLIC_URL: 'https://we.example',
  };
  const chosen = chooseBank(env, 'two');
  t.match(chosen, { bank: 'two', env: { PIX_PSP: 'efi', PIX_CLIENT_ID: 'two', PUBLIC_URL: env.PUBLIC_URL } });
  t.equal(chosen.env.PIX_URL, 'https://bank.example');
  t.equal(chosen.env.PIX_KEY_FILE, undefined);
  t.equal(chooseBank({ BANKS_FILE: fileOf(t, 'one') }, undefined).bank, 'one');
  t.match(chooseBank({ PIX_CLIENT_ID: 'client' }, undefined), {
    bank: 'default',
    env: { PIX_CLIENT_ID: 'client' },
  });
});

t.test('blanks around the path are no part of it, as for the services', async (t) => {
  t.match(chooseBank({ BANKS_FILE: ` ${fileOf(t, 'one')}\r\n` }, undefined), {
    bank: 'one',
    env: { PIX_CLIENT_ID: 'one' },
  });
  t.equal(chooseBank({ BANKS_FILE: '\r\n' }, undefined).bank, 'default', 'an empty line is no file');
});

t.test('what can’t be chosen is one line', async (t) => {
  const file = fileOf(t, 'one', 'two');
  const several = /^BANKS_FILE names several banks: choose one with --bank \(one, two\)$/;
  t.throws(() => chooseBank({ BANKS_FILE: file }, undefined), { message: several });
  t.throws(() => chooseBank({ BANKS_FILE: file }, 'three'), {
    message: /no bank three; there are one, two$/,
  });
  t.throws(() => chooseBank({}, 'one'), { message: /^--bank chooses from BANKS_FILE, which is not set$/ });
});

t.test('the check goes to the chosen bank alone', async (t) => {
  const banks = await startBanks([
    { id: 'first', profile: 'bb' },
    { id: 'second', profile: 'efi' },
  ]);
  t.teardown(banks.close);
  const lines: string[] = [];
  const { signal } = new AbortController();
  const options = { pay: false, payWithinMs: 0, endWithinMs: 5_000, signal, now: () => new Date() };
  const print = (line: string) => void lines.push(line);
  const works = await checkBank({ BANKS_FILE: banks.write() }, { ...options, bank: 'second', print });
  t.ok(works, lines.join('\n'));
  t.equal(banks.at('first').simulator.bank.conformity.checked, 0);
  t.ok(banks.at('second').simulator.bank.conformity.checked > 0);
});
