import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
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
