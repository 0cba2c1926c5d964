import Fastify from 'fastify';
import t from 'tap';
import { addressTurns } from '../../src/http/address-turns.ts';

/** Requests that arrive together leave the event loop to others between them (Design: Bounds). */
async function listener() {
  const app = Fastify();
  const order: string[] = [];
  await app.register(addressTurns);
  app.get('/', async ({ ip }) => {
    order.push(ip);
    return '';
  });
  await app.ready();
  const ask = (count: number, remoteAddress: string) =>
    Array.from({ length: count }, () => app.inject({ url: '/', remoteAddress }));
  return { order, ask };
}

t.test('one in each turn of the loop', async (t) => {
  const { order, ask } = await listener();
  const asked = ask(50, '203.0.113.1');
  const perTurn: number[] = [];
  for (let before = 0; before < 50; before = order.length) {
    await new Promise(setImmediate);
    perTurn.push(order.length - before);
  }
  t.equal(Math.max(...perTurn), 1);
  await Promise.all(asked);
});

t.test('another address waits for one of a flood, and so does another network of IPv6', async (t) => {
  const { order, ask } = await listener();
  const flood = ask(50, '2001:db8:0:1::1');
  const sameNetwork = ask(1, '2001:db8:0:1::2');
  const others = [...ask(1, '203.0.113.2'), ...ask(1, '2001:db8:0:2::1')];
  await Promise.all([...flood, ...sameNetwork, ...others]);
  t.ok(order.indexOf('203.0.113.2') < 4, 'IPv4');
  t.ok(order.indexOf('2001:db8:0:2::1') < 4, 'IPv6');
  t.equal(order.indexOf('2001:db8:0:1::2'), 52, 'one customer has all of a /64');
});
