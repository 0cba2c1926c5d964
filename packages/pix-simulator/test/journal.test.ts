import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { openJournal } from '../src/journal.ts';
import { KEY, startBank, TXID, txidOf } from './bank-under-test.ts';

t.test('what the bank knew it knows again', async (t) => {
  const dataFile = join(t.testdir(), 'bank.jsonl');
  const before = await startBank(t, { dataFile });
  const code = await before.charge();
  const paid = await before.pay(code);
  await before.asReceiver('PUT', `/pix/${paid.body.endToEndId}/devolucao/r1`, { valor: '1.00' });
  await before.asReceiver('PUT', `/webhook/${KEY}`, { webhookUrl: 'http://127.0.0.1:1/callback' });
  await before.asReceiver('PUT', '/webhook/other', { webhookUrl: 'http://127.0.0.1:1/callback' });
  await before.asReceiver('DELETE', '/webhook/other');
  await before.charge(txidOf(2));
  const shown = (await before.asAnyone('GET', `/bank/charges/${TXID}`)).body;
  await before.app.close();

  const after = await startBank(t, { dataFile });
  t.same((await after.asAnyone('GET', `/bank/charges/${TXID}`)).body, shown);
  t.match((await after.asReceiver('GET', `/webhook/${KEY}`)).body, { webhookUrl: /callback/ });
  t.equal((await after.asReceiver('GET', '/webhook/other')).status, 404);
  t.equal((await after.asReceiver('GET', `/cob/${txidOf(2)}`)).status, 200);
  t.equal((await after.pay(code)).status, 201, 'old codes can still be paid');
  t.equal(
    (await after.asReceiver('PUT', `/pix/${paid.body.endToEndId}/devolucao/r1`, { valor: '1.00' })).status,
    400,
  );
});

t.test('a refund that was under way goes on', async (t) => {
  const dataFile = join(t.testdir(), 'bank.jsonl');
  const before = await startBank(t, { dataFile });
  const paid = await before.pay(await before.charge());
  await before.faults({ slowRefundsMs: 60_000 });
  const path = `/pix/${paid.body.endToEndId}/devolucao/r1`;
  await before.asReceiver('PUT', path, { valor: '10.00' });
  await before.app.close();

  const after = await startBank(t, { dataFile });
  t.match((await after.asReceiver('GET', path)).body, { status: 'EM_PROCESSAMENTO' });
  await after.advance(60);
  t.match((await after.asReceiver('GET', path)).body, { status: 'DEVOLVIDO' });
});

t.test('half a line at the end, left by a kill, is cut off', async (t) => {
  const dataFile = join(t.testdir(), 'bank.jsonl');
  const before = await startBank(t, { dataFile });
  await before.charge();
  await before.app.close();
  const { size } = statSync(dataFile);
  appendFileSync(dataFile, '{"charge":{"txid":"ha');

  const after = await startBank(t, { dataFile });
  t.equal(statSync(dataFile).size, size);
  await after.charge(txidOf(2));
  for (const line of readFileSync(dataFile, 'utf8').trim().split('\n')) t.ok(JSON.parse(line));
  const again = await startBank(t, { dataFile });
  t.equal((await again.asReceiver('GET', `/cob/${txidOf(2)}`)).status, 200);
});

const dayMs = 86_400_000;
const at = (daysAgo: number) => () => Date.now() - daysAgo * dayMs;

t.test(
  'the start drops charges that have ended too long ago, with their Pix, and keeps the rest',
  async (t) => {
    const dataFile = join(t.testdir(), 'bank.jsonl');
    const [old, oldButPaidNow, recent] = [txidOf(1), txidOf(2), txidOf(3)];
    const before = await startBank(t, { dataFile, now: at(200) });
    await before.asReceiver('PUT', `/webhook/${KEY}`, { webhookUrl: 'http://127.0.0.1:1/callback' });
    const { body: place } = await before.asReceiver('POST', '/loc', { tipoCob: 'cob' });
    const paid = await before.pay(await before.charge(old, { loc: { id: place.id } }));
    await before.asReceiver('PUT', `/pix/${paid.body.endToEndId}/devolucao/r1`, { valor: '1.00' });
    const code = await before.charge(oldButPaidNow);
    await before.app.close();
    const between = await startBank(t, { dataFile });
    await between.pay(code);
    await between.charge(recent);
    await between.app.close();
    const { size } = statSync(dataFile);
    appendFileSync(dataFile, '{"charge":{"txid":"ha');

    // A start that was killed while it wrote left this.
    writeFileSync(`${dataFile}.new`, '{"charge":{"txid":"ha');
    const after = await startBank(t, { dataFile, dataDays: 180 });
    t.ok(statSync(dataFile).size < size);
    t.notOk(existsSync(`${dataFile}.new`));
    t.notMatch(readFileSync(dataFile, 'utf8'), old);
    t.equal((await after.asReceiver('GET', `/cob/${old}`)).status, 404);
    t.equal((await after.asReceiver('GET', `/pix/${paid.body.endToEndId}`)).status, 404);
    t.match((await after.asReceiver('GET', `/cob/${oldButPaidNow}`)).body, { status: 'CONCLUIDA' });
    t.equal((await after.asReceiver('GET', `/cob/${recent}`)).status, 200);
    t.equal((await after.asReceiver('GET', `/webhook/${KEY}`)).status, 200);

    const next = await after.charge(txidOf(4));
    t.equal((await after.pay(next)).body.txid, txidOf(4), 'its location is no other charge’s');
    await after.app.close();
    const again = await startBank(t, { dataFile, dataDays: 180 });
    t.equal((await again.asReceiver('GET', `/cob/${txidOf(4)}`)).status, 200);
  },
);

t.test(
  'a journal is read in parts, wherever they end, and letters of several bytes stay whole',
  async (t) => {
    const file = join(t.testdir(), 'long.jsonl');
    const entries = Array.from({ length: 50 }, (_, index) => ({ [index]: `ç${'ã'.repeat(index * 199)}` }));
    writeFileSync(file, entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
    t.ok(statSync(file).size > 200_000);
    const replayed: unknown[] = [];
    openJournal(file, (entry) => replayed.push(entry)).close();
    t.same(replayed, entries);
  },
);
