import { call } from '@payments/testing/http';
import { pauseOn } from '@payments/testing/pause';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';

t.test('a refund that the PSP did not make is counted, and shown on the payment', async (t) => {
  const system = await startSystem({ dispatcher: false });
  t.teardown(system.stop);
  const dispatcher = await system.startDispatcher();
  t.teardown(dispatcher.close);
  // On a busy machine, the database's figures may be missing from a scrape.
  const untilCounted = (count: number) =>
    eventually(`${count} failed refunds to be counted`, async () => {
      const { text } = await call(`http://127.0.0.1:${dispatcher.port}/metrics`);
      return text.includes(`\npayments_refunds_not_made{state="failed"} ${count}\n`) || undefined;
    });
  await untilCounted(0);

  await system.bank('/bank/faults', { refuseRefunds: true });
  const store = await system.createStore();
  const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } });
  for (let times = 0; times < 2; times += 1)
    await system.bank('/bank/pay', { pixCopiaECola: body.qrCopyPaste });
  await system.waitForStatus(store, body.id, 'approved');
  await untilCounted(1);
  const { body: detail } = await system.admin(`/admin/payments/${body.id}`);
  t.match(detail.refunds, [{ state: 'failed', reason: 'second_pix', amount: 10 }]);
});

t.test('a wrong request to the dispatcher’s port gets the usual error body', async (t) => {
  const system = await startSystem({ dispatcher: false });
  t.teardown(system.stop);
  const dispatcher = await system.startDispatcher();
  t.teardown(dispatcher.close);
  const at = (path: string, options = {}) => call(`http://127.0.0.1:${dispatcher.port}${path}`, options);
  const malformed = { statusCode: 400, message: 'Requisição inválida.' };
  const unknown = { statusCode: 404, message: 'Rota não encontrada.' };
  t.match(await at('/nothing'), { status: 404, body: unknown });
  t.match(await at('/%ZZ'), { status: 400, body: malformed });
  t.match(await at('/nothing', { body: '{' }), { status: 400, body: malformed });
});

t.test('the delay of a webhook ends with its attempt, however long the record waits', async (t) => {
  let at = Date.now();
  const system = await startSystem({ dispatcher: false, now: () => new Date(at) });
  t.teardown(system.stop);
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const store = await system.createStore();
  const body = { amount: 10, webhookUrl: receiver.url };
  await system.api('/api-public/payments', { token: store.token, body });
  const pause = await pauseOn(system.env.DATABASE_URL!, 'before update on deliveries', 'new.attempted');
  const dispatcher = await system.startDispatcher();
  t.teardown(dispatcher.close);
  await pause.reached();
  at += 3_600_000;
  await pause.end();
  const sum = await eventually('the delay', async () => {
    const { text } = await call(`http://127.0.0.1:${dispatcher.port}/metrics`);
    if (!text.includes('payments_delivery_delay_seconds_count 1\n')) return undefined;
    return /^payments_delivery_delay_seconds_sum (.*)$/m.exec(text)?.[1];
  });
  t.equal(sum, '0');
});
