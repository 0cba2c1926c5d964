import { parseBrCode } from '@payments/pix/brcode';
import t from 'tap';
import { KEY, startBank, TXID, txidOf } from './bank-under-test.ts';
import { startReceiver } from './receiver.ts';

const charge = { amount: 1000, expiresInSeconds: 3600 };

t.test('faults are changed one by one, shown, and ended together', async (t) => {
  const bank = await startBank(t);
  const allOff = (await bank.asAnyone('GET', '/bank/faults')).body;
  t.match(allOff, { dropCallbacks: false, status: 0, only: [], omitPixCopiaECola: false });
  await bank.faults({ dropCallbacks: true });
  t.match((await bank.faults({ status: 503 })).body, { dropCallbacks: true, status: 503 });
  t.match((await bank.faults({ dropCallbacks: false })).body, { dropCallbacks: false, status: 503 });
  t.same((await bank.faults({})).body, allOff);
  await bank.faults({ only: ['putCob'], latencyMs: 1 });
  t.same((await bank.asAnyone('DELETE', '/bank/faults')).body, allOff);
});

t.test('a fault that does not exist is refused by name', async (t) => {
  const bank = await startBank(t);
  for (const [faults, named] of [
    [{ dropCallback: true }, /dropCallback/],
    [{ status: 200 }, /status/],
    [{ only: ['cob'] }, /putCob/],
    [{ latencyMs: -1 }, /latencyMs/],
    [{ hang: 'yes' }, /hang/],
  ] as const) {
    const { status, body } = await bank.faults(faults);
    t.equal(status, 400);
    t.match(JSON.stringify(body.violacoes), named);
  }
});

t.test('errors: the call is not carried out, and its answer is a problem', async (t) => {
  const bank = await startBank(t);
  for (const [status, type] of [
    [500, 'ErroInternoDoServidor'],
    [503, 'ServicoIndisponivel'],
  ] as const) {
    await bank.faults({ status, only: ['putCob'] });
    const answer = await bank.asReceiver('PUT', `/cob/${TXID}`, {});
    t.match(answer, { status, body: { type: new RegExp(`${type}$`) } });
    await t.rejects(bank.client().putCharge(TXID, charge), { code: 'PIX_UNAVAILABLE', status });
  }
  await bank.faults({});
  t.equal(await bank.client().getCharge(TXID), null);
});

t.test('so many errors, then none', async (t) => {
  const bank = await startBank(t);
  await bank.faults({ status: 500, times: 1, only: ['putCob'] });
  t.equal((await bank.client().putCharge(TXID, charge)).status, 'ATIVA', 'the repetition got through');
  t.match((await bank.asAnyone('GET', '/bank/faults')).body, { status: 0, times: 0 });
});

t.test('a bank that hangs, one that cuts the line, one that is slow', async (t) => {
  const bank = await startBank(t);
  const client = bank.client();
  await client.getCharge(TXID);
  await bank.faults({ hang: true });
  // Only what hangs is asked by a client without patience.
  await t.rejects(bank.client({ timeoutMs: 100 }).putCharge(TXID, charge), {
    code: 'PIX_UNAVAILABLE',
    reason: 'timeout',
  });
  await bank.faults({ hang: false, disconnect: true });
  await t.rejects(client.cancelCharge(TXID), { code: 'PIX_UNAVAILABLE', reason: 'network' });
  await bank.faults({ disconnect: false, latencyMs: 40 });
  const started = performance.now();
  t.equal(await client.getCharge(TXID), null, 'nothing of it was carried out');
  t.ok(performance.now() - started >= 38);
});

t.test('a bank whose calls hang still closes', async (t) => {
  const bank = await startBank(t);
  const client = bank.client({ timeoutMs: 60_000 });
  await client.getCharge(TXID);
  await bank.faults({ hang: true });
  const hanging = client.cancelCharge(TXID);
  while (bank.app.bank.hanging.size === 0) await new Promise(setImmediate);
  await Promise.all([t.rejects(hanging, { code: 'PIX_UNAVAILABLE', reason: 'network' }), bank.app.close()]);
});

t.test('a charge whose answer is lost was made: asking again finds it', async (t) => {
  const bank = await startBank(t);
  await bank.faults({ loseChargeAnswers: true });
  const client = bank.client();
  await t.rejects(client.putCharge(TXID, charge), { code: 'PIX_UNAVAILABLE', status: 500 });
  t.match(await client.getCharge(TXID), { status: 'ATIVA', amount: 1000 });
  await bank.faults({});
  const again = await client.putCharge(TXID, charge);
  t.equal(again.copyAndPaste, (await client.getCharge(TXID))?.copyAndPaste);
});

t.test('a charge whose answer is cut off was made, too', async (t) => {
  const bank = await startBank(t);
  await bank.faults({ cutChargeAnswers: true });
  const client = bank.client();
  await t.rejects(client.putCharge(TXID, charge), { code: 'PIX_UNAVAILABLE', reason: 'network' });
  t.match(await client.getCharge(TXID), { status: 'ATIVA', amount: 1000 });
});

t.test('requests for charges and Pix that the bank does not have are noted', async (t) => {
  const bank = await startBank(t);
  const client = bank.client();
  const endToEndId = `E${'0'.repeat(31)}`;
  await client.putCharge(TXID, charge);
  t.equal(await client.getCharge(txidOf(1)), null);
  t.equal(await client.getPix(endToEndId), null);
  await bank.asAnyone('GET', `/bank/charges/${txidOf(2)}`);
  t.same((await bank.asAnyone('GET', '/bank/unknown')).body, {
    requests: [
      { operation: 'getCob', id: txidOf(1) },
      { operation: 'getPix', id: endToEndId },
    ],
  });
});

t.test('without pixCopiaECola the client builds a code that the bank takes', async (t) => {
  const bank = await startBank(t);
  await bank.faults({ omitPixCopiaECola: true });
  const client = bank.client({ merchantName: 'Empório Açaí', merchantCity: 'Belém' });
  const { copyAndPaste } = await client.putCharge(txidOf(1), charge);
  t.match(parseBrCode(copyAndPaste ?? ''), { merchantName: 'Emporio Acai', merchantCity: 'Belem' });
  t.equal((await bank.pay(copyAndPaste ?? '')).status, 201);
  t.equal((await client.getCharge(txidOf(1)))?.pix[0]?.amount, 1000);
});

t.test('`charges` limits what callbacks say, too', async (t) => {
  const receiver = await startReceiver(t);
  const bank = await startBank(t);
  await bank.asReceiver('PUT', `/webhook/${KEY}`, { webhookUrl: receiver.url });
  const codes = [await bank.charge(txidOf(1)), await bank.charge(txidOf(2))];
  await bank.faults({ oddAmounts: true, withoutRefundIds: true, charges: [txidOf(1)] });
  for (const code of codes) {
    const { endToEndId } = (await bank.pay(code)).body;
    await bank.asAnyone('POST', '/bank/refunds', { endToEndId, valor: '1.00' });
  }
  const calls = await receiver.received(4);
  const told = calls.flatMap(({ body }) => body.pix).filter(({ devolucoes }) => devolucoes?.length > 0);
  const of = (txid: string) => told.find((pix) => pix.txid === txid);
  t.match([of(txidOf(1)).valor, of(txidOf(1)).devolucoes[0].id], ['10,00', undefined]);
  t.match([of(txidOf(2)).valor, of(txidOf(2)).devolucoes[0].id], ['10.00', String]);
});
