import { once } from 'node:events';
import { connect } from 'node:net';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { openEvents } from './event-stream.ts';

/** A thousand streams from one address (Contract: payer's page). */
const system = await startSystem({ dispatcher: false, env: { TRUST_PROXY: '1' } });
t.teardown(system.stop);
const store = await system.createStore();
const create = async () =>
  (await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } })).body;
/** @returns ids for a thousand streams, of which one payment has twenty */
async function manyIds(): Promise<(n: number) => string> {
  const payments = await Promise.all(Array.from({ length: 50 }, create));
  return (n) => payments[n % payments.length]!.id;
}
const follow = (id: string, headers = {}) => openEvents(`${system.url}/pay/${id}/events`, headers);

t.test('a reader that goes away at once leaves nothing open', async (t) => {
  const idOf = await manyIds();
  const { hostname, port } = new URL(system.url);
  const address = '198.51.100.7';
  const leave = async (n: number) => {
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    socket.write(`GET /pay/${idOf(n)}/events HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${address}\r\n\r\n`);
    await new Promise((resolve) => setTimeout(resolve, n % 12));
    socket.destroy();
  };
  for (let round = 0; round < 11; round += 1)
    await Promise.all(Array.from({ length: 100 }, (_, n) => leave(n)));
  const stream = await follow(idOf(0), { 'x-forwarded-for': address });
  t.equal(stream.status, 200);
  const others = await Promise.all(
    Array.from({ length: 999 }, (_, n) => follow(idOf(n + 1), { 'x-forwarded-for': address })),
  );
  t.strictSame(new Set(others.map(({ status }) => status)), new Set([200]), 'all of its places are free');
  for (const one of [stream, ...others]) one.close();
});

t.test('an address has so many open streams, and may open another when one ends', async (t) => {
  const [{ id }, idOf] = [await create(), await manyIds()];
  const here = { 'x-forwarded-for': '2001:db8:1:2::1' };
  const streams = await Promise.all(Array.from({ length: 1_000 }, (_, n) => follow(idOf(n), here)));
  t.strictSame(new Set(streams.map(({ status }) => status)), new Set([200]));
  const neighbour = { 'x-forwarded-for': '2001:db8:1:2::2' };
  const refused = await system.api(`/pay/${id}/events`, { headers: neighbour });
  t.equal(refused.status, 429);
  t.equal(refused.headers.get('retry-after'), '60');
  t.match(refused.text, 'Muitos acessos agora');
  const elsewhere = await follow(id, { 'x-forwarded-for': '2001:db8:1:3::1' });
  t.equal(elsewhere.status, 200);
  for (const one of [...streams, elsewhere]) one.close();
  await Promise.all([...streams, elsewhere].map(({ ended }) => ended));
  for (;;) {
    const again = await follow(id, neighbour);
    again.close();
    if (again.status === 200) break;
  }
});
