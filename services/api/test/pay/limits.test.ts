import { once } from 'node:events';
import { connect } from 'node:net';
import { startSystem, type TestStore, type TestSystem } from '@payments/testing/system';
import t from 'tap';
import { openEvents } from './event-stream.ts';

/** Payers' pages are limited by address, so that floods of them do not slow stores down. */
const create = async (system: TestSystem, { token }: TestStore) =>
  (await system.api('/api-public/payments', { token, body: { amount: 10 } })).body;

t.test('an address may open so many pages; what it opens above gets a page that says so', async (t) => {
  const system = await startSystem({
    dispatcher: false,
    env: { PAYER_PAGES_PER_MINUTE: '3', TRUST_PROXY: '1' },
  });
  t.teardown(system.stop);
  const { id } = await create(system, await system.createStore());
  const open = (path: string, address = '203.0.113.1') =>
    system.api(`/pay/${path}`, { headers: { 'x-forwarded-for': address } });
  const unknown = '0190a5b0-0000-7000-8000-000000000000';
  for (const path of [id, unknown, id]) await open(path);
  for (const path of [id, unknown, `${id}/events`]) {
    const { status, text, headers } = await open(path);
    t.equal(status, 429, path);
    t.match(text, '<h1>Muitos acessos agora</h1>');
    const seconds = Number(headers.get('retry-after'));
    t.ok(seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`);
  }
  t.equal((await open('x')).status, 404, 'what is no id costs nothing');
  t.equal((await open('assets/pay.css')).status, 200);
  t.equal((await open(id, '203.0.113.2')).status, 200, 'another address');
});

t.test('one payment takes a few streams, from any address, and leaves the others theirs', async (t) => {
  const system = await startSystem({ dispatcher: false, env: { TRUST_PROXY: '1' } });
  t.teardown(system.stop);
  const store = await system.createStore();
  const [one, other] = [await create(system, store), await create(system, store)];
  const follow = (id: string, n: number) =>
    openEvents(`${system.url}/pay/${id}/events`, { 'x-forwarded-for': `203.0.113.${n}` });
  const streams = [];
  for (let n = 0; n < 20; n += 1) streams.push(await follow(one.id, n));
  t.strictSame(new Set(streams.map(({ status }) => status)), new Set([200]));
  const refused = await follow(one.id, 20);
  t.equal(refused.status, 429, 'the page asks by itself');
  const others = await follow(other.id, 1);
  t.equal(others.status, 200);
  for (const stream of [...streams, refused, others]) stream.close();
});

t.test('a stream ends after some minutes, and tells the page to ask by itself', async (t) => {
  let aheadMs = 0;
  const system = await startSystem({ dispatcher: false, now: () => new Date(Date.now() + aheadMs) });
  t.teardown(system.stop);
  const { id } = await create(system, await system.createStore());
  const stream = await openEvents(`${system.url}/pay/${id}/events`);
  await stream.until('waiting');
  aheadMs = 10 * 60_000;
  await stream.ended;
  t.strictSame(stream.events, ['waiting', '']);
});

t.test('a failure is a page without internals', async (t) => {
  const system = await startSystem({ dispatcher: false });
  t.teardown(system.stop);
  const { id } = await create(system, await system.createStore());
  await system.db.schema.alterTable('payments').renameTo('payments_away').execute();
  const { status, text } = await system.api(`/pay/${id}`);
  t.equal(status, 500);
  t.match(text, '<h1>Página indisponível no momento</h1>');
  t.notMatch(text, /relation|payments_away|select/);
});

t.test(
  'a page or image of another address waits for few of a flood: sales share their listener',
  async (t) => {
    const system = await startSystem({ dispatcher: false, env: { TRUST_PROXY: '1' } });
    t.teardown(system.stop);
    const { hostname, port } = new URL(system.url);
    const flood = 200;
    for (const path of ['/pay/x', '/qr/x.svg']) {
      const connections = await Promise.all(
        Array.from({ length: flood + 1 }, async () => {
          const socket = connect(Number(port), hostname);
          t.teardown(() => socket.destroy());
          // The server has accepted the connection once it answers.
          socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
          await once(socket, 'data');
          return socket;
        }),
      );
      const order: number[] = [];
      const answered = connections.map(async (socket, index) => {
        await once(socket, 'data');
        order.push(index);
      });
      for (const [index, socket] of connections.entries()) {
        const address = index < flood ? '203.0.113.1' : '203.0.113.2';
        socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n\r\n`);
      }
      await Promise.all(answered);
      t.ok(order.indexOf(flood) < flood / 2, `${path}: after ${order.indexOf(flood)} of ${flood}`);
    }
  },
);
