import { startProcessSystem } from '@payments/testing/process-system';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { openShop } from './scene.ts';
import { attemptsOnRecord, openSql } from './sql.ts';
import { firstVisits, watchReceiver } from './watched-receiver.ts';

const statuses = ['pending', 'approved', 'paid', 'withdrawal_processing', 'receipt_sent'];
const count = 30;

t.test(
  'three dispatchers keep every payment’s order, at receivers that are slow, fail or hang',
  async (t) => {
    const system = await startProcessSystem({
      dispatchers: 3,
      env: { WEBHOOK_TIMEOUT_MS: '3000', WEBHOOK_RETRY_SECONDS: '0.3,0.5,1,1,1,1,1,1' },
    });
    t.teardown(system.stop);
    const sql = openSql(t, system.databaseUrl);
    const shop = await openShop(system);
    const receiver = await watchReceiver(t);
    // Every event meets a failure first; its id decides which.
    receiver.answerWith((visit) => {
      const fate = Number.parseInt(visit.id.slice(-2), 16) % 6;
      const tries = receiver.visits.filter(({ id }) => id === visit.id).length;
      if (fate === 0 && tries === 1) return { instead: 'hang' };
      if (fate === 1 && tries <= 2) return { status: 500, delayMs: 40 };
      if (fate === 2 && tries === 1) return { instead: 'reset' };
      return { delayMs: fate * 20 };
    });
    const counted = (what: string, where: string, wanted: number) =>
      eventually(what, async () => {
        const [row] = await sql(`select count(*)::int as count from ${where}`);
        return row.count === wanted || undefined;
      });

    const payments = await shop.chargeMany(count, (index) => receiver.at(`/${index % 10}`));
    await Promise.all(payments.map(shop.pay));
    await counted('all to be approved', `payments where status = 'approved'`, count);
    for (const status of statuses.slice(2)) await Promise.all(payments.map((one) => shop.move(one, status)));
    await counted('all to be delivered', `deliveries where state = 'delivered'`, count * statuses.length);

    for (const payment of payments) {
      const first = firstVisits(receiver.of(payment));
      t.same(
        first.map(({ json }) => json.status),
        statuses,
      );
      const endBefore = (index: number) => first[index - 1]?.endedAt ?? Number.POSITIVE_INFINITY;
      const early = first.filter(({ arrivedAt }, index) => index > 0 && arrivedAt < endBefore(index));
      t.same(early, [], 'no first attempt came before the one before it had ended');
    }
    t.equal(
      receiver.mostAtOnce(({ id }) => id),
      1,
      'no delivery was attempted twice at a time',
    );
    const [{ attempts }] = await sql(`select count(*)::int as attempts from ${attemptsOnRecord} a`);
    t.equal(attempts, receiver.visits.length, 'every attempt is logged');
  },
);
