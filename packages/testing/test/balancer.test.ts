import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { startBalancer } from '../src/balancer.ts';
import { call } from '../src/http.ts';
import { eventually } from '../src/system.ts';

/** A replica that returns its name, and is ready on request. */
async function replica(name: string) {
  let ready = true;
  const server = createServer((request, response) => {
    const isAsked = request.url === '/health/ready';
    response.writeHead(isAsked && !ready ? 503 : 200).end(name);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  t.teardown(() => server.close().closeAllConnections());
  return {
    port,
    healthPort: port,
    setReady: (isReady: boolean) => {
      ready = isReady;
    },
  };
}

t.test('new connections go in turn to ready replicas only', async (t) => {
  const [one, other] = [await replica('one'), await replica('other')];
  const balancer = await startBalancer([one, other]);
  t.teardown(balancer.close);
  const ask = async () => (await call(balancer.url, { headers: { connection: 'close' } })).text;
  const answeredBy = async () => new Set([await ask(), await ask(), await ask(), await ask()]);
  const until = (names: string[]) =>
    eventually(`answers of ${names}`, async () => {
      const found = await answeredBy().catch(() => new Set());
      return found.size === names.length && names.every((name) => found.has(name)) ? true : undefined;
    });

  t.ok(await until(['one', 'other']));
  one.setReady(false);
  t.ok(await until(['other']));
  one.setReady(true);
  t.ok(await until(['one', 'other']));

  const refusedBefore = balancer.refused();
  one.setReady(false);
  other.setReady(false);
  await eventually(
    'a refusal',
    async () =>
      await ask().then(
        () => undefined,
        () => true,
      ),
  );
  t.ok(balancer.refused() > refusedBefore, 'with none ready, a connection is refused');
});
