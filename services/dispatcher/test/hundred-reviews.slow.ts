import { eventually } from '@payments/testing/system';
import t from 'tap';
import { dispatcherProcesses } from './dispatcher-processes.ts';
import { openShop, openSystem, story } from './shop.ts';

const reviews = 100;
const kills = 5;

t.test('a hundred reviews time out while one of three dispatchers is killed every second', async (t) => {
  // The API runs here, the dispatchers in their own processes.
  const system = await openSystem(t, { dispatcher: false, env: { REVIEW_TIMEOUT_SECONDS: '1' } });
  const shop = await openShop(t, system);
  const payments = await Promise.all(
    Array.from({ length: reviews }, async (_, index) => {
      const payment = await shop.charge(10);
      const valor = (10.01 + index).toFixed(2);
      const { endToEndId } = await shop.pay(payment, { valor });
      return { ...payment, endToEndId, valor };
    }),
  );
  await eventually('all in review', async () => {
    const { body } = await system.api('/api-public/payments?status=review&limit=1', {
      token: shop.store.token,
    });
    return body.total === reviews || undefined;
  });
  // A slow bank, so that kills fall between its refund and our commit.
  await system.bank('/bank/faults', { latencyMs: 150, only: ['putDevolucao', 'getDevolucao'] });

  const dispatchers = dispatcherProcesses(t, system);
  await Promise.all([dispatchers.start(), dispatchers.start(), dispatchers.start()]);
  const restarts: Promise<unknown>[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await dispatchers.killOldest();
    restarts.push(dispatchers.start());
  }
  await Promise.all(restarts);

  await eventually('all to be not_approved', async () => {
    const path = '/api-public/payments?status=not_approved&limit=1';
    const { body } = await system.api(path, { token: shop.store.token });
    return body.total === reviews || undefined;
  });
  const started = performance.now();
  for (const payment of payments) {
    const { pix } = await shop.atBank(payment);
    t.match(pix, [
      { endToEndId: payment.endToEndId, devolucoes: [{ valor: payment.valor, status: 'DEVOLVIDO' }] },
    ]);
    t.equal(pix[0]?.devolucoes.length, 1, 'exactly one refund at the bank');
    const { refunds, events } = await shop.detail(payment);
    t.equal(refunds.length, 1);
    t.equal(events.length, 3);
    t.same(story(await shop.untilWebhooks(payment, 3)), [
      'created pending',
      'pending review',
      'review not_approved',
    ]);
  }
  const ids = new Set(shop.received.map(({ headers }) => headers['webhook-id']));
  t.equal(ids.size, 3 * reviews, 'one webhook-id for each event');
  const repeats = shop.received.length - ids.size;
  t.comment(`${kills} kills, ${repeats} webhooks repeated under their own webhook-id`);
  t.comment(`the last webhook came ${Math.round(performance.now() - started)} ms after the last status`);
});
