import { readCallback } from '@payments/pix/callback';
import t from 'tap';
import { KEY, startBank, TXID, txidOf } from './bank-under-test.ts';
import { startReceiver } from './receiver.ts';

const charge = { amount: 1050, expiresInSeconds: 3600, payerMessage: 'Pedido 42, ação' };

t.test('everything a receiver does, and each of its requests respects the API Pix', async (t) => {
  const bank = await startBank(t, { key: KEY });
  const client = bank.client();
  const receiver = await startReceiver(t);

  t.equal(await client.getCallback(), null);
  await client.registerCallback(receiver.url);
  t.equal(await client.getCallback(), receiver.url);

  const created = await client.putCharge(TXID, charge);
  t.match(created, { txid: TXID, status: 'ATIVA', amount: 1050, pix: [] });
  t.same(await client.putCharge(TXID, charge), created, 'again, without harm');
  await bank.pay(created.copyAndPaste ?? '', { valor: '10.51' });

  const [call] = await receiver.received(1);
  const [told] = readCallback(call?.body).pix;
  t.match(told, { txid: TXID, key: KEY, amount: 1051, refunds: [] });
  const paid = await client.getCharge(TXID);
  t.match(paid, { status: 'CONCLUIDA', pix: [told] });
  const endToEndId = told?.endToEndId ?? '';

  t.equal(await client.getRefund(endToEndId, 'r1'), null);
  const refund = await client.requestRefund(endToEndId, 'r1', 1051);
  t.match(refund, { id: 'r1', amount: 1051, status: 'DEVOLVIDO', nature: 'ORIGINAL' });
  t.same(await client.getRefund(endToEndId, 'r1'), refund);
  await t.rejects(client.requestRefund(endToEndId, 'r1', 1051), {
    code: 'PIX_REFUSED',
    type: 'PixDevolucaoInvalida',
    status: 400,
  });
  const [, settled] = await receiver.received(2);
  t.same(readCallback(settled?.body).pix[0]?.refunds, [refund]);

  await client.putCharge(txidOf(2), charge);
  t.match(await client.cancelCharge(txidOf(2)), { status: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' });
  await t.rejects(client.cancelCharge(txidOf(2)), {
    code: 'PIX_REFUSED',
    type: 'CobOperacaoInvalida',
    status: 400,
  });
  await t.rejects(client.cancelCharge(txidOf(3)), {
    code: 'PIX_REFUSED',
    type: 'CobNaoEncontrado',
    status: 404,
  });

  const page = await client.listPix({ from: new Date(0), to: new Date(Date.now() + 1000), page: 0 });
  t.match(page, { pages: 1, unreadable: [], pix: [{ endToEndId, refunds: [refund] }] });

  const { checked, violations } = (await bank.asAnyone('GET', '/bank/violations')).body;
  t.ok(checked >= 15);
  t.same(violations, []);
});

t.test('every Pix of a busy hour is found, page by page', async (t) => {
  const bank = await startBank(t);
  const code = await bank.charge();
  for (let number = 0; number < 230; number += 1) await bank.pay(code);
  const client = bank.client();
  const range = { from: new Date(Date.now() - 3_600_000), to: new Date(Date.now() + 1000) };
  const found = new Set<string>();
  for (let page = 0, pages = 1; page < pages; page += 1) {
    const list = await client.listPix({ ...range, page });
    for (const pix of list.pix) found.add(pix.endToEndId);
    pages = list.pages;
  }
  t.equal(found.size, 230);
});

t.test('money taken back by the bank shows with its nature', async (t) => {
  const bank = await startBank(t);
  const paid = await bank.pay(await bank.charge());
  await bank.asAnyone('POST', '/bank/refunds', { endToEndId: paid.body.endToEndId });
  const seen = await bank.client().getCharge(TXID);
  t.match(seen?.pix[0]?.refunds, [{ amount: 1000, status: 'DEVOLVIDO', nature: 'MED_FRAUDE' }]);
});

t.test('what does not respect the API Pix is noted, for whoever develops against this bank', async (t) => {
  const bank = await startBank(t);
  await bank.asReceiver('PUT', `/cob/${TXID}`, { valor: { original: 10 } });
  await bank.asReceiver('GET', '/cobranca/1');
  t.match((await bank.asAnyone('GET', '/bank/violations')).body.violations, [
    {
      method: 'PUT',
      url: `/cob/${TXID}`,
      problem: 'CobOperacaoInvalida',
      violations: [{ propriedade: /./ }],
    },
    { method: 'GET', url: '/cobranca/1', problem: 'NaoEncontrado' },
  ]);
});

t.test("the bank's clock moves, and is set right again", async (t) => {
  const bank = await startBank(t, { now: () => 0 });
  t.match((await bank.advance(90)).body, { now: '1970-01-01T00:01:30.000Z', offsetMs: 90_000 });
  t.match((await bank.advance(-30)).body, { offsetMs: 60_000 });
  const to = { now: '2026-01-01T00:00:00Z' };
  t.match((await bank.asAnyone('POST', '/bank/clock', to)).body, { now: '2026-01-01T00:00:00.000Z' });
  t.match((await bank.asAnyone('GET', '/bank/clock')).body, { now: '2026-01-01T00:00:00.000Z' });
  t.match((await bank.asAnyone('POST', '/bank/clock', {})).body, { offsetMs: 0 });
  t.equal((await bank.asAnyone('POST', '/bank/clock', { hours: 1 })).status, 400);
});

t.test('of what was noted the latest thousand stay', async (t) => {
  const bank = await startBank(t, { unlimited: true });
  for (let number = 0; number <= 1_000; number += 1) {
    await bank.asReceiver('GET', `/nothing/${number}`);
    await bank.asReceiver('GET', `/cob/${txidOf(number)}`);
  }
  const { violations } = (await bank.asAnyone('GET', '/bank/violations')).body;
  const { requests } = (await bank.asAnyone('GET', '/bank/unknown')).body;
  t.same(
    [violations.length, violations[0].url, violations.at(-1).url],
    [1_000, '/nothing/1', '/nothing/1000'],
  );
  t.same([requests.length, requests[0].id, requests.at(-1).id], [1_000, txidOf(1), txidOf(1_000)]);
});
