import type { CreatedPayment, DeliveryDetail } from '@payments/testing/answers';
import { patienceMs } from '@payments/testing/patience';
import { eventually } from '@payments/testing/system';
import t, { type Test } from 'tap';
import { openScene, openShop } from './scene.ts';
import { type WatchedReceiver, watchReceiver } from './watched-receiver.ts';

const { shop, system, sql } = await openScene(t, {
  env: { WEBHOOK_RETRY_SECONDS: '0.1', WEBHOOK_TIMEOUT_MS: '120000' },
});
const service = { ...system, call: system.api };
await system.startDispatcher().then(({ close }) => t.teardown(close));

const redeliver = (id: string) => system.admin(`/admin/deliveries/${id}/redeliver`, { method: 'POST' });
const redeliverMany = (body: object) => system.admin('/admin/deliveries/redeliver', { body });

type Dead = { receiver: WatchedReceiver; payment: CreatedPayment; dead: DeliveryDetail };

/** A payment whose delivery is dead after a 410; its receiver responds 200 from now on. */
async function deadDelivery(t: Test): Promise<Dead> {
  const receiver = await watchReceiver(t);
  receiver.answerWith(() => ({ status: 410 }));
  const payment = await shop.charge(receiver.at('/'));
  const dead = await shop.until(payment, 0, 'dead', ({ state }) => state === 'dead');
  receiver.answerWith(() => ({}));
  return { receiver, payment, dead };
}

t.test('a dead delivery is shown, and sent again under the same webhook-id', async (t) => {
  const { receiver, payment, dead } = await deadDelivery(t);
  const listed = await system.admin(`/admin/deliveries?state=dead&storeId=${shop.id}`);
  t.match(listed.body.items[0], { id: dead.id, paymentId: payment.id, lastError: 'status 410', attempts: 1 });

  const again = await redeliver(dead.id);
  t.equal(again.status, 202);
  t.match(again.body, { id: dead.id, eventId: dead.eventId, state: 'pending' });
  const { attempts } = await shop.until(payment, 0, 'delivered', ({ state }) => state === 'delivered');
  t.match(attempts, [
    { number: 1, statusCode: 410 },
    { number: 2, statusCode: 200 },
  ]);
  t.same(
    receiver.visits.map(({ id }) => id),
    [dead.eventId, dead.eventId],
  );
});

t.test('a delivered one can be sent again, too; an unknown one is not found', async (t) => {
  const receiver = await watchReceiver(t);
  const payment = await shop.charge(receiver.at('/'));
  const { id } = await shop.until(payment, 0, 'delivered', ({ state }) => state === 'delivered');
  t.equal((await redeliver(id)).status, 202);
  await receiver.until(() => receiver.visits.length === 2);
  t.equal(receiver.visits[0]?.id, receiver.visits[1]?.id);
  t.equal((await redeliver(payment.id)).status, 404);
  t.equal((await redeliver('nonsense')).status, 404);
});

t.test('a redrive restarts the retry schedule', async (t) => {
  const { receiver, payment, dead } = await deadDelivery(t);
  receiver.answerWith(() => ({ status: 500 }));
  await redeliver(dead.id);
  const again = await shop.until(payment, 0, 'dead again', ({ attempts }) => attempts.length === 3);
  t.equal(again.state, 'dead', 'one attempt, and the one retry of this schedule');
});

t.test('a redrive during an attempt is refused', async (t) => {
  const receiver = await watchReceiver(t);
  const refusals = Promise.withResolvers<void>();
  receiver.answerWith(() => ({ after: refusals.promise }));
  const payment = await shop.charge(receiver.at('/'));
  await receiver.until(() => receiver.visits.length === 1);
  const [delivery] = await shop.deliveries(payment);
  const refused = await redeliver(delivery!.id);
  t.equal(refused.status, 409);
  t.match(refused.body, { statusCode: 409, message: 'Há uma tentativa de entrega em andamento.' });
  t.same((await redeliverMany({ storeId: shop.id, state: 'pending' })).body, { redelivered: 0 });
  refusals.resolve();
  await shop.until(payment, 0, 'delivered', ({ state }) => state === 'delivered');
  t.equal(receiver.visits.length, 1);
});

t.test('the claim of a process that died holds up no redrive', async (t) => {
  const { payment, dead } = await deadDelivery(t);
  await sql(`update deliveries set claimed_by = gen_random_uuid(), claimed_at = now() where id = $1`, [
    dead.id,
  ]);
  t.equal((await redeliver(dead.id)).status, 202);
  await shop.until(payment, 0, 'delivered', ({ state }) => state === 'delivered');
});

t.test('many concurrent redrives never attempt a delivery twice at a time', async (t) => {
  const { receiver, payment, dead } = await deadDelivery(t);
  receiver.answerWith(() => ({ status: 500, delayMs: 30 }));
  const statuses = new Set<number>();
  const end = Date.now() + patienceMs;
  const isEnough = () => receiver.visits.length > 5 && statuses.size > 1;
  const redrive = async () => {
    while (!isEnough() && Date.now() < end) {
      statuses.add((await redeliver(dead.id)).status);
      await redeliverMany({ storeId: shop.id });
    }
  };
  await Promise.all([redrive(), redrive(), redrive()]);
  receiver.answerWith(() => ({}));
  // A redrive is refused while the last of those attempts is in flight, which may be the last of its schedule.
  await eventually('a redrive', async () => (await redeliver(dead.id)).status === 202 || undefined);
  const { attempts } = await shop.until(payment, 0, 'delivered', ({ state }) => state === 'delivered');
  t.same([...statuses].sort(), [202, 409]);
  t.equal(receiver.mostAtOnce(), 1);
  t.ok(receiver.visits.length > 5, `${receiver.visits.length} attempts`);
  t.equal(attempts.length, receiver.visits.length, 'each of them is logged');
});

t.test('an event that waits for its turn is not redriven before it', async (t) => {
  const receiver = await watchReceiver(t);
  const refused = Promise.withResolvers<void>();
  receiver.answerWith(({ json }) => (json.event === 'payment.created' ? { after: refused.promise } : {}));
  const payment = await shop.charge(receiver.at('/'));
  await receiver.until(() => receiver.visits.length === 1);
  await shop.move(payment, 'not_approved');
  const waiting = await shop.until(payment, 1, 'in the ledger', () => true);
  const early = await redeliver(waiting.id);
  const message = 'A entrega espera a primeira tentativa do evento anterior deste pagamento.';
  t.strictSame(early.body, { statusCode: 409, message });
  t.equal(early.headers.get('error-code'), 'deliveryWaits');
  t.equal(receiver.visits.length, 1);
  refused.resolve();
  await receiver.until(() => receiver.visits.length === 2);
  const [created, changed] = receiver.visits;
  t.ok((changed?.arrivedAt ?? 0) >= (created?.endedAt ?? 0));
});

t.test('many deliveries are redriven at a limited rate, filtered by store or time', async (t) => {
  const receiver = await watchReceiver(t);
  receiver.answerWith(() => ({ status: 410 }));
  const [crowd, neighbour] = await Promise.all([openShop(service), openShop(service)]);
  const count = 75;
  await crowd.chargeMany(count, () => receiver.at('/many'));
  await neighbour.charge(receiver.at('/neighbour'));
  await receiver.until(() => receiver.visits.length === count + 1);
  const dead = async (id: string) =>
    (await system.admin(`/admin/deliveries?state=dead&storeId=${id}`)).body.total;
  const allDead = async () => (await dead(crowd.id)) + (await dead(neighbour.id)) === count + 1 || undefined;
  await eventually('all to be dead', allDead);

  // No attempt ends before the due times are read.
  const timesRead = Promise.withResolvers<void>();
  receiver.answerWith(() => ({ after: timesRead.promise }));
  t.same((await redeliverMany({ storeId: crowd.id, since: new Date(Date.now() + 60_000) })).body, {
    redelivered: 0,
  });
  const redriven = await redeliverMany({ storeId: crowd.id, state: 'dead' });
  t.equal(redriven.status, 202);
  t.same(redriven.body, { redelivered: count });
  const again = await redeliverMany({ storeId: crowd.id, state: 'pending' });
  t.same(again.body, { redelivered: 0 }, 'what waits for its attempt already stays as it is');
  const due = await sql(
    `select id, extract(epoch from next_attempt_at)::float8 * 1000 as at
    from deliveries where store_id = $1 and attempts_before_redrive > 0 and state = 'pending' order by 2`,
    [crowd.id],
  );
  t.equal(due.length, count);
  for (const [place, { at }] of due.entries())
    t.ok(Math.abs(at - due[0].at - place * 20) < 1, 'fifty a second fall due');
  timesRead.resolve();
  await receiver.until(() => receiver.visits.length === 2 * count + 1);
  for (const { id, at } of due) {
    const [, again] = receiver.visits.filter((visit) => visit.id === id);
    t.ok((again?.arrivedAt ?? 0) >= Math.floor(at), 'none comes before it is due');
  }
  t.equal(await dead(neighbour.id), 1, 'the other store’s delivery stays');
  t.equal(new Set(receiver.visits.map(({ id }) => id)).size, count + 1);
});
