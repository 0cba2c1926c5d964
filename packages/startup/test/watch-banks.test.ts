import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { listKnownBanks } from '@payments/database/banks/banks';
import { expectUnheard } from '@payments/database/charges/unheard-charges';
import { connect } from '@payments/database/connection';
import { insertStore } from '@payments/database/stores/stores';
import { newId } from '@payments/domain/identifiers';
import { type BankSettings, readBanks } from '@payments/pix/bank-settings';
import { openBanks } from '@payments/pix/banks';
import { createTestDatabase } from '@payments/testing/database';
import { eventually } from '@payments/testing/system';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { watchBanks } from '../src/watch-banks.ts';

const bank = (id: string, fields: object = {}) => ({
  id,
  url: 'http://127.0.0.1:9',
  clientId: id,
  clientSecret: 's3cr3t',
  key: `${id}@example.com`,
  ...fields,
});

type Line = { msg: string; reason?: string; banks?: string[] };

async function watching(t: Test) {
  const file = join(t.testdir(), 'banks.json');
  // A rename, as Kubernetes swaps a mounted Secret: nobody reads half a file.
  const write = (...banks: object[]) => {
    writeFileSync(`${file}.new`, JSON.stringify({ banks }));
    renameSync(`${file}.new`, file);
  };
  write(bank('first'));
  const { url, drop } = await createTestDatabase();
  const db = connect(url, { poolSize: 2 });
  const settings = { BANKS_FILE: file } as BankSettings;
  const banks = openBanks(readBanks(settings, 1_000));
  const lines: Line[] = [];
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      lines.push(JSON.parse(String(chunk)));
      done();
    },
  });
  let turns = 0;
  const now = () => {
    turns += 1;
    return new Date();
  };
  const watch = await watchBanks({
    db,
    banks,
    settings,
    timeoutMs: 1_000,
    log: pino(output),
    now,
    everyMs: 5,
  });
  t.teardown(async () => {
    await watch.stop();
    await banks.close();
    await db.destroy();
    await drop();
  });
  const until = (what: string, holds: () => boolean | Promise<boolean>) =>
    eventually(what, async () => (await holds()) || undefined);
  const said = (msg: string) => lines.filter((line) => line.msg === msg);
  const moreTurns = async () => {
    const seen = turns;
    await until('more looks', () => turns > seen + 4);
  };
  return { db, banks, write, until, said, moreTurns };
}

const ids = (banks: readonly { id: string }[]) => banks.map(({ id }) => id);

t.test('a changed file is taken up, and a bad one refused as a whole and said once', async (t) => {
  const { db, banks, write, until, said, moreTurns } = await watching(t);
  const [first] = banks.all();
  write(bank('first', { clientSecret: 'new' }), bank('second', { clientId: 12 }));
  await until('the refusal', () => said('the banks have not changed').length > 0);
  await moreTurns();
  const line = 'BANKS_FILE: bank second: clientId must be a text';
  t.same(
    said('the banks have not changed').map(({ reason }) => reason),
    [line],
  );
  t.same(banks.all(), [first], 'not a part of it is taken up');

  write(bank('second'), bank('first'));
  await until('the new banks', () => banks.all().length === 2);
  await until('their record', async () => (await listKnownBanks(db)).length === 2);
  t.same(ids(banks.all()), ['second', 'first']);
  t.equal(banks.find('first'), first);
  t.match(said('the banks have changed'), [{ banks: ['second', 'first'] }]);

  write(bank('second', { clientId: 12 }));
  await until('the second refusal', () => said('the banks have not changed').length === 2);
});

t.test('banks that were taken up without a database are recorded when it is back', async (t) => {
  const { db, banks, write, until, said } = await watching(t);
  await db.schema.alterTable('banks').renameTo('banks_away').execute();
  write(bank('first'), bank('second'));
  await until('a failure', () => said('the state of the banks was not recorded').length > 0);
  t.same(ids(banks.all()), ['first', 'second']);
  await db.schema.alterTable('banks_away').renameTo('banks').execute();
  await until('the record', async () => (await listKnownBanks(db)).length === 2);
});

t.test('of the banks that are configured no more, those with open work are named', async (t) => {
  const { db, write, until, said } = await watching(t);
  write(bank('second'));
  await until('the change', async () => said('the banks have changed').length === 1);
  await until('the record', async () => (await listKnownBanks(db)).length === 2);
  t.same(said('banks are configured no more; what they have waits'), []);

  await expectUnheard(db, [{ paymentId: newId(), bank: 'first', askedAt: new Date() }]);
  write(bank('second'), bank('third'));
  await until('the line', () => said('banks are configured no more; what they have waits').length === 1);
  t.match(said('banks are configured no more; what they have waits'), [{ banks: ['first'] }]);
});

t.test('test stores without their bank are named, and no more once it is there', async (t) => {
  const { db, write, until, said, moreTurns } = await watching(t);
  const line = 'there are test stores and no bank `test` is configured: their charges wait for their code';
  write(bank('first'), bank('second'));
  await until('the change', () => said('the banks have changed').length === 1);
  await moreTurns();
  t.same(said(line), [], 'there are none');
  const store = { id: newId(), name: 'Loja', maxAmount: 300_000, createdAt: new Date() };
  const none = { feePpm: null, feeFixed: null, reviewAbove: null, banks: null, refundLimitPerDay: null };
  await insertStore(db, { ...store, ...none, test: true, webhookSecret: 'whsec_c2VjcmV0' });
  write(bank('first'));
  await until('the line', () => said(line).length === 1);
  write(bank('first'), bank('test', { psp: 'test', url: 'http://127.0.0.1:10' }));
  await until('the change', () => said('the banks have changed').length === 3);
  await moreTurns();
  t.equal(said(line).length, 1);
});
