import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { startBadReceiver, type Temper } from '@payments/testing/bad-receivers';
import t, { type Test } from 'tap';
import { openScene } from './scene.ts';
import { watchReceiver } from './watched-receiver.ts';

// Long enough for an answer on a slow machine.
const timeoutMs = 5_000;
const scheduleMs = [200, 400];
const { shop, system } = await openScene(t, {
  env: {
    WEBHOOK_TIMEOUT_MS: String(timeoutMs),
    WEBHOOK_RETRY_SECONDS: scheduleMs.map((ms) => ms / 1_000).join(),
  },
});

/** A receiver that handles the socket of each request. */
async function rawReceiver(t: Test, behave: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => behave(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return `127.0.0.1:${(server.address() as AddressInfo).port}/webhook`;
}

/** An address without a listener. */
async function deserted(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}/`;
}

async function badReceiver(t: Test, temper: Temper): Promise<string> {
  const receiver = await startBadReceiver(temper);
  t.teardown(receiver.close);
  return receiver.url;
}

t.test('every attempt is logged: time, duration, result, and the response’s first bytes', async (t) => {
  const receiver = await watchReceiver(t);
  const delayMs = 60;
  const replies = [
    { status: 500, body: 'no space left', delayMs },
    { instead: 'hang' as const },
    { status: 201, body: 'thank you', delayMs },
  ];
  receiver.answerWith(() => replies[receiver.visits.length - 1] ?? {});
  const payment = await shop.charge(receiver.at('/'));
  const delivery = await shop.until(payment, 0, 'delivered', ({ state }) => state === 'delivered');

  t.match(delivery, { event: 'payment.created', nextAttemptAt: null, lastError: null });
  t.match(delivery.attempts, [
    { number: 1, statusCode: 500, stage: null, error: 'status 500', responseExcerpt: 'no space left' },
    { number: 2, statusCode: null, stage: 'timeout', error: 'timeout: no response in time' },
    { number: 3, statusCode: 201, stage: null, error: null, responseExcerpt: 'thank you' },
  ]);
  t.equal(delivery.attempts.length, 3);
  t.equal(new Set(receiver.visits.map(({ id }) => id)).size, 1, 'under one webhook-id');
  t.equal(receiver.visits[0]?.id, delivery.eventId);
  // Timers are exact to a millisecond.
  for (const [index, tookAtLeast] of [delayMs - 1, timeoutMs, delayMs - 1].entries()) {
    const { startedAt, durationMs } = delivery.attempts[index]!;
    t.ok((receiver.visits[index]?.arrivedAt ?? 0) >= Date.parse(startedAt), 'it arrived after it started');
    t.ok(Number(durationMs) >= tookAtLeast, `${durationMs} ms lasted until the response`);
  }
});

t.test('a failure names its stage', async (t) => {
  const plain = await rawReceiver(t, (socket) => socket.end('what do you want?\r\n\r\n'));
  const cut = await rawReceiver(t, (socket) =>
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of'),
  );
  const cases: [string, string, string | null, string][] = [
    ['hangs', await badReceiver(t, 'hangs'), 'timeout', 'timeout: no response in time'],
    [
      'drips its 200 for longer than the time-out',
      await badReceiver(t, 'drips'),
      'timeout',
      'timeout: response not complete in time',
    ],
    ['resets', await badReceiver(t, 'resets'), 'response', 'response: connection reset'],
    ['is not there', await deserted(), 'connect', 'connect: connection refused'],
    ['speaks no HTTP', `http://${plain}`, 'response', 'response: not an HTTP response'],
    ['speaks no TLS', `https://${plain}`, 'tls', 'tls: '],
    ['breaks off its 200', `http://${cut}`, 'response', 'response: '],
    ['redirects', await badReceiver(t, 'redirects inward'), null, 'status 302'],
  ];
  await Promise.all(
    cases.map(async ([what, url, stage, error]) => {
      const payment = await shop.charge(url);
      const { attempts } = await shop.until(
        payment,
        0,
        'attempted',
        (delivery) => delivery.attempts.length > 0,
      );
      t.match(attempts[0], { number: 1, stage, error: new RegExp(`^${error}`) }, `one that ${what}`);
    }),
  );
});

t.test('any 2xx that is complete in time is a success, however long its body', async (t) => {
  const slow = await rawReceiver(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n');
    for (const at of [50, 100, 150, 200]) setTimeout(() => socket.write('.'), at);
  });
  const receiver = await watchReceiver(t);
  const statuses = [200, 201, 202, 204, 299];
  receiver.answerWith(({ path }) => ({ status: Number(path.slice(1)) }));
  const urls = [...statuses.map((status) => receiver.at(`/${status}`)), `http://${slow}`];
  await Promise.all(
    [...urls, await badReceiver(t, 'answers 1 GB')].map(async (url) => {
      const payment = await shop.charge(url);
      const { state, attempts } = await shop.until(payment, 0, 'attempted', (one) => one.attempts.length > 0);
      t.equal(state, 'delivered', url);
      t.equal(attempts.length, 1);
      t.ok((attempts[0]?.responseExcerpt?.length ?? 0) <= 1_024);
    }),
  );
});

t.test('410 ends a delivery at once, and says nothing against the endpoint', async (t) => {
  const receiver = await watchReceiver(t);
  receiver.answerWith(() => ({ status: 410 }));
  const payment = await shop.charge(receiver.at('/gone'));
  const { state, attempts, nextAttemptAt } = await shop.until(
    payment,
    0,
    'attempted',
    (one) => one.attempts.length > 0,
  );
  t.match({ state, nextAttemptAt }, { state: 'dead', nextAttemptAt: null });
  t.match(attempts, [{ statusCode: 410 }]);
  const { body } = await system.admin('/admin/endpoints');
  t.notOk(body.items.some(({ url }: { url: string }) => url === receiver.at('/gone')));
});

t.test(
  'retries follow the schedule within its jitter; after the last one the delivery is dead',
  async (t) => {
    const receiver = await watchReceiver(t);
    receiver.answerWith(() => ({ status: 503, body: 'down' }));
    const payment = await shop.charge(receiver.at('/down'));
    const dead = await shop.until(payment, 0, 'dead', ({ state }) => state === 'dead');
    t.match(dead, { nextAttemptAt: null, lastError: 'status 503' });
    t.equal(dead.attempts.length, scheduleMs.length + 1);
    for (const [index, ms] of scheduleMs.entries()) {
      const [before, after] = [receiver.visits[index], receiver.visits[index + 1]];
      const pause = (after?.arrivedAt ?? 0) - (before?.endedAt ?? 0);
      // How much longer a pause may be is read from its due time, in retry-times.test.ts.
      t.ok(pause >= ms * 0.8 - 5, `pause ${index + 1} took ${pause} ms, not less than ${ms * 0.8}`);
    }
    const { body } = await system.admin(`/admin/deliveries?state=dead&paymentId=${payment.id}`);
    t.match(body, {
      total: 1,
      items: [{ id: dead.id, state: 'dead', attempts: 3, lastError: 'status 503' }],
    });
  },
);
