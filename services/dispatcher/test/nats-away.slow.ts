import { connectEvents } from '@payments/jetstream/connection';
import { startOwnNats } from '@payments/testing/nats';
import { eventually } from '@payments/testing/system';
import { pino } from 'pino';
import t from 'tap';
import { type Load, startLoad } from './load.ts';
import { openShop, openSystem, story } from './shop.ts';

const nats = await startOwnNats();
t.teardown(() => nats.remove());
const system = await openSystem(t, { env: { NATS_URL: nats.url } });
const shop = await openShop(t, system);

async function deleteStream(): Promise<void> {
  const log = pino({ level: 'silent' });
  const connection = connectEvents({ url: nats.url, stream: system.env.NATS_STREAM!, name: 'test', log });
  await eventually('NATS', async () => connection.isConnected() || undefined);
  const { streams } = await connection.ready().jetstreamManager();
  // The stream exists as soon as an event is published again.
  await eventually('the stream', () => streams.delete(connection.stream).catch(() => undefined));
  await connection.close();
}

async function assertAllTold(t: { same(found: unknown, wanted: unknown): void }, payments: Load['created']) {
  for (const payment of payments) {
    t.same(story(await shop.untilWebhooks(payment, 2)), ['created pending', 'pending approved']);
  }
}

/** Resolves when the load has made `count` payments more. */
async function sales(load: Load, count: number, when: string): Promise<void> {
  const before = load.created.length;
  await eventually(`payments ${when}`, async () => load.created.length >= before + count || undefined);
}

t.test('NATS is killed and started under load: creation goes on, no webhook is lost', async (t) => {
  const load = startLoad(shop, { atOnce: 3, pay: true });
  await shop.untilWebhooks(await shop.charge(10), 1);
  await nats.kill();
  await sales(load, 10, 'while it is down');
  await nats.start();
  await sales(load, 5, 'when it is back');
  await load.stop();
  t.same(load.refused, []);
  await assertAllTold(t, load.created);
  const ready = await eventually('the new connection', async () => {
    const { body } = await system.api('/health/ready');
    return body.nats === 'connected' ? body : undefined;
  });
  t.same(ready, { status: 'ok', nats: 'connected' });
});

t.test('without NATS the service is ready, and shows the loss', async (t) => {
  await nats.stop();
  const answer = await eventually('the loss to be noticed', async () => {
    const ready = await system.api('/health/ready');
    return ready.body.nats === 'unavailable' ? ready : undefined;
  });
  t.equal(answer.status, 200);
  await nats.start();
});

t.test('without NATS webhooks are sent', async (t) => {
  await nats.stop();
  const payment = await shop.charge(10);
  await shop.pay(payment);
  t.same(story(await shop.untilWebhooks(payment, 2)), ['created pending', 'pending approved']);
  await nats.start();
});

t.test('NATS loses its data under load: the stream is created again, and no webhook is lost', async (t) => {
  const load = startLoad(shop, { atOnce: 3, pay: true });
  await sales(load, 5, 'before');
  await nats.kill();
  await sales(load, 5, 'while it is down');
  await nats.start();
  await deleteStream();
  await sales(load, 5, 'without the stream');
  await deleteStream();
  await sales(load, 5, 'without the stream again');
  await load.stop();
  t.same(load.refused, []);
  await assertAllTold(t, load.created);
});
