import t from 'tap';
import { KEY, startBank, txidOf } from './bank-under-test.ts';
import { failuresOf } from './conform.ts';
import { startReceiver } from './receiver.ts';

/** A bank that reports to a receiver, which answers with `statuses` first. */
async function reporting(t: Parameters<typeof startBank>[0], statuses: number[] = []) {
  const receiver = await startReceiver(t, statuses);
  const bank = await startBank(t, { callbackRetryMs: [10, 10, 10] });
  await bank.asReceiver('PUT', `/webhook/${KEY}`, { webhookUrl: receiver.url });
  return { bank, receiver };
}

/** The bank's notes, once it has noted so many attempts. */
async function attempts(bank: Awaited<ReturnType<typeof startBank>>, count: number) {
  for (;;) {
    const { body } = await bank.asAnyone('GET', '/bank/callbacks');
    if (body.attempts.length >= count) return body.attempts;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

t.test('a Pix is reported below the address that was registered', async (t) => {
  const { bank, receiver } = await reporting(t);
  const paid = await bank.pay(await bank.charge());
  const [call] = await receiver.received(1);
  t.equal(call?.url, '/callback/pix');
  t.same(failuresOf('WebhookPix', call?.body), []);
  t.match(call?.body, { pix: [{ endToEndId: paid.body.endToEndId, txid: paid.body.txid, chave: KEY }] });
  t.match(await attempts(bank, 1), [
    { attempt: 1, outcome: 'delivered', endToEndIds: [paid.body.endToEndId] },
  ]);
});

t.test('a refund is reported when it settles, with its Pix', async (t) => {
  const { bank, receiver } = await reporting(t);
  const paid = await bank.pay(await bank.charge());
  await bank.faults({ slowRefundsMs: 60_000 });
  await bank.asReceiver('PUT', `/pix/${paid.body.endToEndId}/devolucao/r1`, { valor: '10.00' });
  await receiver.received(1);
  await bank.advance(60);
  const [, settled] = await receiver.received(2);
  t.match(settled?.body.pix, [{ devolucoes: [{ id: 'r1', status: 'DEVOLVIDO' }] }]);
  await bank.asAnyone('POST', '/bank/faults', {});
});

t.test('a refund settles by itself when its time has passed', async (t) => {
  const { bank, receiver } = await reporting(t);
  const paid = await bank.pay(await bank.charge());
  await bank.faults({ slowRefundsMs: 30, refuseRefunds: true });
  await bank.asReceiver('PUT', `/pix/${paid.body.endToEndId}/devolucao/r1`, { valor: '10.00' });
  const calls = await receiver.received(2);
  t.match(calls[1]?.body.pix, [{ devolucoes: [{ id: 'r1', status: 'NAO_REALIZADO' }] }]);
});

t.test('a report that fails is made again, a few times', async (t) => {
  const { bank, receiver } = await reporting(t, [500, 302, 200]);
  await bank.pay(await bank.charge());
  await receiver.received(3);
  t.match(await attempts(bank, 3), [
    { outcome: 'status 500' },
    { outcome: 'status 302' },
    { outcome: 'delivered' },
  ]);
});

t.test('a receiver that is gone holds nothing up', async (t) => {
  const bank = await startBank(t, { callbackRetryMs: [5] });
  await bank.asReceiver('PUT', `/webhook/${KEY}`, { webhookUrl: 'http://127.0.0.1:1/callback' });
  t.equal((await bank.pay(await bank.charge())).status, 201);
  t.match(await attempts(bank, 2), [{ outcome: 'ECONNREFUSED' }, { attempt: 2 }]);
});

t.test('dropped, then not', async (t) => {
  const { bank, receiver } = await reporting(t);
  await bank.faults({ dropCallbacks: true });
  await bank.pay(await bank.charge(txidOf(1)));
  await bank.faults({ dropCallbacks: false });
  const second = await bank.pay(await bank.charge(txidOf(2)));
  const calls = await receiver.received(1);
  t.match(calls, [{ body: { pix: [{ endToEndId: second.body.endToEndId }] } }]);
});

t.test('duplicated', async (t) => {
  const { bank, receiver } = await reporting(t);
  await bank.faults({ duplicateCallbacks: true });
  await bank.pay(await bank.charge());
  const [first, second] = await receiver.received(2);
  t.same(second?.body, first?.body);
});

t.test('delayed, without holding up the payment', async (t) => {
  const { bank, receiver } = await reporting(t);
  await bank.faults({ delayCallbacksMs: 600_000 });
  t.equal((await bank.pay(await bank.charge(txidOf(1)))).status, 201);
  await bank.faults({ delayCallbacksMs: 50 });
  const second = await bank.pay(await bank.charge(txidOf(2)));
  t.match(await receiver.received(1), [{ body: { pix: [{ endToEndId: second.body.endToEndId }] } }]);
  t.equal(receiver.calls.length, 1, 'the first one waits for longer');
});

t.test('several in one call', async (t) => {
  const { bank, receiver } = await reporting(t);
  const [code, other] = [await bank.charge(), await bank.charge(txidOf(2))];
  await bank.faults({ batchCallbacksMs: 5_000 });
  const paid = [await bank.pay(code), await bank.pay(code), await bank.pay(other)];
  const [call] = await receiver.received(1);
  t.strictSame(
    call?.body.pix.map((pix: { endToEndId: string }) => pix.endToEndId),
    paid.map((one) => one.body.endToEndId),
  );
});
