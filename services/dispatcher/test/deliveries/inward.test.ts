import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import t, { type Test } from 'tap';
import { openScene } from './scene.ts';

// As in production: private receivers are not allowed.
const { shop, sql, system } = await openScene(t, {
  env: { WEBHOOK_ALLOW_PRIVATE: '', WEBHOOK_RETRY_SECONDS: '3600' },
  dispatcher: false,
});

type Inside = { port: number; connections: () => number };

/** Something internal on this machine, on both loopback addresses if there are two. */
async function listenInside(t: Test): Promise<Inside> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  server.listen(0);
  await once(server, 'listening');
  t.teardown(async () => {
    server.close();
    await once(server, 'close');
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

t.test(
  'an internal address that got past creation is refused at connection, and the log reveals nothing',
  async (t) => {
    const inside = await listenInside(t);
    // Names are known only when resolved: by the machine's hosts file, this one is internal.
    const hosts = ['localhost', '127.0.0.1', '127.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '①②⑦.1'];
    const payments = await shop.chargeMany(hosts.length, () => 'https://nowhere.invalid/');
    for (const [index, payment] of payments.entries()) {
      const url = `http://${hosts[index]}:${inside.port}/`;
      await sql('update deliveries set url = $2 where payment_id = $1', [payment.id, url]);
    }
    t.teardown((await system.startDispatcher()).close);
    for (const [index, payment] of payments.entries()) {
      const { url, state, attempts } = await shop.until(
        payment,
        0,
        'tried',
        (one) => one.attempts.length > 0,
      );
      t.equal(url, `http://${hosts[index]}:${inside.port}/`);
      t.equal(state, 'pending', 'it is retried like any failure: the name may resolve elsewhere later');
      const { stage, error, statusCode, responseExcerpt } = attempts[0]!;
      t.same(
        { stage, error, statusCode, responseExcerpt },
        { stage: 'address', error: 'address: not allowed', statusCode: null, responseExcerpt: null },
      );
    }
    t.equal(inside.connections(), 0);
  },
);
