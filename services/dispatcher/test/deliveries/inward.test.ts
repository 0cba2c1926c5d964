import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import t, { type Test } from 'tap';
import { openScene } from './scene.ts';
import { watchReceiver } from './watched-receiver.ts';

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

t.test('internal addresses are refused at creation in any spelling', async (t) => {
  const inside = await listenInside(t);
  const hosts = [
    ...['127.0.0.1', '127.1', '127.0.1', '2130706433', '0x7f000001', '0x7f.1', '0177.0.0.1', '0', '0.0.0.0'],
    ...['①②⑦.⓪.⓪.①', '１２７.0.0.1', '127。0。0。1', '127.0.0.1.', '%31%32%37.0.0.1'],
    ...[
      '10.0.0.1',
      '172.16.0.1',
      '192.168.1.1',
      '169.254.169.254',
      '100.64.0.1',
      '224.0.0.1',
      '255.255.255.255',
    ],
    ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[64:ff9b::7f00:1]', '[2002:7f00:1::]'],
    ...['[fe80::1]', '[fd00::1]', '[::127.0.0.1]', '[ff02::1]', 'localhost', 'localhost.', 'user@localhost'],
    ...['user:secret@example.com', 'api', 'metadata'],
  ];
  for (const host of hosts) {
    for (const scheme of ['http', 'https']) {
      const { status, body } = await system.api('/api-public/payments', {
        token: shop.token,
        body: { amount: 10, webhookUrl: `${scheme}://${host}:${inside.port}/` },
      });
      t.same(
        { status, body },
        { status: 400, body: { statusCode: 400, message: 'webhookUrl must be a URL' } },
        host,
      );
    }
  }
  for (const url of [
    'file:///etc/passwd',
    'gopher://example.com/',
    'javascript:alert(1)',
    '//example.com/',
    '',
  ]) {
    const body = { amount: 10, webhookUrl: url };
    t.equal((await system.api('/api-public/payments', { token: shop.token, body })).status, 400, url);
  }
  t.equal((await sql('select count(*)::int as count from payments'))[0].count, 0);
  t.equal(inside.connections(), 0);
});

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

t.test('a redirect to an internal address is a failure, and is not followed', async (t) => {
  const { shop: other } = await openScene(t, { env: { WEBHOOK_RETRY_SECONDS: '3600' } });
  const inside = await listenInside(t);
  const receiver = await watchReceiver(t);
  receiver.answerWith(({ path }) => ({
    status: Number(path.slice(1)),
    headers: {
      location: `http://127.0.0.1:${inside.port}/`,
      refresh: `0; url=http://127.0.0.1:${inside.port}/`,
    },
  }));
  for (const status of [301, 302, 303, 307, 308, 200]) {
    const payment = await other.charge(receiver.at(`/${status}`));
    const { attempts } = await other.until(payment, 0, 'tried', (one) => one.attempts.length > 0);
    t.match(attempts, [{ statusCode: status }]);
  }
  t.equal(inside.connections(), 0);
});
