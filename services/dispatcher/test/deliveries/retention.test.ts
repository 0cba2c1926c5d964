import { eventually } from '@payments/testing/system';
import t from 'tap';
import { insertBacklog } from './backlog.ts';
import { openScene } from './scene.ts';
import { watchReceiver } from './watched-receiver.ts';

const day = 86_400_000;
let ahead = 0;
const { shop, sql, system } = await openScene(t, {
  env: { RETENTION_DAYS: '30', CHARGE_EXPIRES_IN_SECONDS: '31536000', WEBHOOK_RETRY_SECONDS: '3600' },
  now: () => new Date(Date.now() + ahead),
});

const count = async (table: string, where = 'true') =>
  (await sql(`select count(*)::int as count from ${table} where ${where}`))[0].count;

t.test(
  'finished deliveries are deleted after their retention time, in batches; payments and history stay',
  async (t) => {
    const url = 'http://127.0.0.1:9/old';
    await insertBacklog(sql, { storeId: shop.id, url, count: 1_100, age: '31 days', state: 'delivered' });
    await insertBacklog(sql, { storeId: shop.id, url, count: 100, age: '31 days', state: 'dead' });
    await insertBacklog(sql, { storeId: shop.id, url, count: 50, age: '29 days', state: 'delivered' });
    await eventually('the old ones to go', async () => (await count('deliveries')) === 50 || undefined);
    t.equal(await count('payments'), 1_250);
    t.equal(await count('events'), 1_250);
    const { body } = await system.admin('/admin/deliveries?limit=1');
    t.equal(body.total, 50);
  },
);

t.test('a delivery that ended late is kept from its end on', async (t) => {
  const url = 'http://127.0.0.1:9/late';
  await insertBacklog(sql, { storeId: shop.id, url, count: 2, age: '50 days', state: 'dead' });
  const [{ id }] = await sql(
    `update deliveries set attempt_log = jsonb_build_array(jsonb_build_object('number', 1, 'startedAt', now()))
    where id = (select max(id::text)::uuid from deliveries where url = $1) returning id`,
    [url],
  );
  await eventually(
    'the other one to go',
    async () => (await count('deliveries', `url = '${url}'`)) === 1 || undefined,
  );
  t.equal(await count('deliveries', `id = '${id}'`), 1);
  await sql('delete from deliveries where id = $1', [id]);
});

t.test('an endpoint that failed long ago and has no deliveries is not shown', async (t) => {
  const [gone, busy] = ['http://127.0.0.1:9/gone', 'http://127.0.0.1:9/busy'];
  await insertBacklog(sql, { storeId: shop.id, url: busy, count: 1, age: '-1 hours' });
  for (const url of [gone, busy]) {
    await sql(
      `insert into failing_endpoints (id, store_id, url, failures, openings, failing_since)
      values (endpoint_of($1, $2), $1, $2, 3, 0, now() - interval '31 days')`,
      [shop.id, url],
    );
  }
  await eventually('it to be forgotten', async () => {
    return (await count('failing_endpoints')) === 1 || undefined;
  });
  const { body } = await system.admin('/admin/endpoints');
  t.same(
    body.items.map(({ url }: { url: string }) => url),
    [busy],
  );
});

t.test('a payment whose deliveries were deleted goes on: its next event is sent in order', async (t) => {
  const receiver = await watchReceiver(t);
  receiver.answerWith(({ json }) => ({ status: json.event === 'payment.created' ? 200 : 500 }));
  const payment = await shop.charge(receiver.at('/'));
  await shop.until(payment, 0, 'delivered', ({ state }) => state === 'delivered');
  await shop.pay(payment);
  // This one has not been delivered: it stays at any age.
  await shop.until(payment, 1, 'tried', ({ attempts }) => attempts.length === 1);

  ahead = 31 * day;
  await eventually('the first to go', async () => {
    return (await shop.deliveries(payment)).length === 1 || undefined;
  });
  const [left] = await shop.deliveries(payment);
  t.match(left, { event: 'payment.status_changed', state: 'pending' });

  await shop.move(payment, 'paid');
  await receiver.until(() => receiver.visits.length === 3);
  t.same(
    receiver.visits.map(({ json }) => json.status),
    ['pending', 'approved', 'paid'],
  );
  const { body } = await system.admin(`/admin/payments/${payment.id}`);
  t.equal(body.events.length, 3, 'the history is whole');
  t.equal(body.deliveries.length, 2);
});

t.test('an old delivery is not deleted during its redrive', async (t) => {
  const receiver = await watchReceiver(t);
  // By the clock of the service, which is ahead by 31 days, it is 29 days old.
  await insertBacklog(sql, {
    storeId: shop.id,
    url: receiver.at('/'),
    count: 1,
    age: '-2 days',
    state: 'dead',
  });
  const [{ id }] = await sql('select id from deliveries where url = $1', [receiver.at('/')]);
  receiver.answerWith(() => ({ delayMs: 2_500 }));
  t.equal((await system.admin(`/admin/deliveries/${id}/redeliver`, { method: 'POST' })).status, 202);
  await receiver.until(() => receiver.visits.length === 1);
  ahead += 31 * day;
  await receiver.until(() => receiver.visits[0]?.endedAt !== undefined);
  await eventually('it to go', async () => {
    return (await count('deliveries', `id = '${id}'`)) === 0 || undefined;
  });
  t.equal(receiver.visits.length, 1);
});
