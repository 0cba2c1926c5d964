import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { patienceMs } from '@payments/testing/patience';
import Fastify, { type FastifyRequest } from 'fastify';
import t from 'tap';
import {
  addressTurns,
  atMost,
  atMostEach,
  callerTurns,
  lastingPressure,
  loadShedding,
} from '../../src/http/bounds.ts';
import { createErrorAnswers, errorAnswers, watchExchanges } from '../../src/http/errors/error-answers.ts';

/** A task that the test ends. */
function held() {
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (index: number) => () => {
    begun.push(index);
    return new Promise<number>((resolve) => ends.push(() => resolve(index)));
  };
  return { begun, ends, work };
}

t.test('so many run at a time, the others in order, and what is too much is refused at once', async (t) => {
  const { begun, ends, work } = held();
  const bounded = atMost({ running: 2, waiting: 2 });
  const taken = [0, 1, 2, 3].map((index) => bounded(work(index)));
  t.equal(bounded(work(4)), undefined, 'refused');
  await new Promise(setImmediate);
  t.same(begun, [0, 1]);
  ends[1]?.();
  t.equal(await taken[1], 1);
  await new Promise(setImmediate);
  t.same(begun, [0, 1, 2]);
  t.not(bounded(work(5)), undefined, 'there is room again');
  for (const index of [0, 2, 3, 4]) {
    ends[index]?.();
    await new Promise(setImmediate);
  }
  t.same(await Promise.all([taken[0], taken[2], taken[3]]), [0, 2, 3]);
  t.same(begun, [0, 1, 2, 3, 5]);
});

t.test('what fails makes room too', async (t) => {
  const bounded = atMost({ running: 1, waiting: 1 });
  const failing = bounded(async () => {
    throw new Error('no');
  });
  const next = bounded(async () => 'done');
  await t.rejects(failing!, { message: 'no' });
  t.equal(await next, 'done');
});

t.test(
  'each has one turn at a time: another’s task waits for none of a flood but the one that runs',
  async (t) => {
    const { begun, ends, work } = held();
    const all = { running: 1, waiting: 4 };
    const bounded = atMostEach({ all, each: { running: 1, waiting: 2 } });
    const flood = [0, 1, 2].map((index) => bounded('a', work(index)));
    t.equal(bounded('a', work(3)), undefined, 'one’s own bound');
    const other = bounded('b', work(10));
    for (const _ of [1, 2, 3, 4]) {
      await new Promise(setImmediate);
      ends.pop()?.();
    }
    t.same(begun, [0, 10, 1, 2]);
    t.same(await Promise.all([...flood, other]), [0, 1, 2, 10]);
    t.not(bounded('a', work(4)), undefined, 'there is room again');
  },
);

t.test('the bound of all holds, whoever asks', async (t) => {
  const { work } = held();
  const bounded = atMostEach({ all: { running: 1, waiting: 1 }, each: { running: 1, waiting: 1 } });
  t.not(bounded('a', work(0)), undefined);
  t.not(bounded('b', work(1)), undefined);
  t.equal(bounded('c', work(2)), undefined);
});

/** The process sheds load before it collapses, and only then. */
const moments: [name: string, askedAt: number[], turnedAway: boolean[]][] = [
  ['one pause', [0, 10, 900, 1_400], [false, false, false, false]],
  ['pressure that lasts', [0, 1_000, 1_600, 2_500], [false, false, true, true]],
  ['two pauses, far apart', [0, 900, 60_000, 60_900], [false, false, false, false]],
  ['pressure with rare requests', [0, 2_900, 5_800], [false, true, true]],
  ['pressure that ended long ago', [0, 1_600, 10_000], [false, true, false]],
];
for (const [name, askedAt, turnedAway] of moments) {
  t.test(name, async (t) => {
    let time = 0;
    const isLasting = lastingPressure(() => time);
    const answers = askedAt.map((at) => {
      time = at;
      return isLasting();
    });
    t.strictSame(answers, turnedAway);
  });
}

t.test('a blocked event loop: 503, and service again when it is over', async (t) => {
  const app = Fastify();
  t.teardown(() => app.close());
  await app.register(
    errorAnswers,
    createErrorAnswers(() => {}),
  );
  await app.register(loadShedding, { loadClock: () => performance.now() });
  app.get('/', async () => 'ok');
  const ask = () => app.inject('/');
  t.equal((await ask()).statusCode, 200);

  let answer = await ask();
  for (let blocks = 0; answer.statusCode === 200 && blocks < 8; blocks += 1) {
    block(1_150);
    // A timer takes the sample, so let due timers run.
    await new Promise((resolve) => setTimeout(resolve, 0));
    answer = await ask();
  }
  t.equal(answer.statusCode, 503);
  t.strictSame(answer.json(), { statusCode: 503, message: 'Serviço temporariamente indisponível.' });
  t.equal(answer.headers['retry-after'], '1');

  for (const until = Date.now() + patienceMs; answer.statusCode !== 200 && Date.now() < until; ) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    answer = await ask();
  }
  t.equal(answer.statusCode, 200);
});

function block(ms: number) {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

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

t.test('so many requests of a caller are under way at a time; others wait for none of them', async (t) => {
  const app = Fastify();
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  await app.register(callerTurns, {
    callerOf: ({ headers }: FastifyRequest) => String(headers.from),
    running: 2,
  });
  app.get('/:name', async ({ url }) => {
    begun.push(url);
    await new Promise<void>((resolve) => ends.set(url, resolve));
    if (url === '/fails') throw new Error('no');
    return '';
  });
  const ask = (url: string, from: string) => app.inject({ url, headers: { from } });
  const beginning = async (...urls: string[]) => {
    while (begun.length < urls.length) await new Promise(setImmediate);
    t.same(new Set(begun.splice(0)), new Set(urls));
  };
  const asked = ['/fails', '/2', '/3', '/4'].map((url) => ask(url, 'a@shop.example'));
  asked.push(ask('/other', 'b@shop.example'));
  await beginning('/fails', '/2', '/other');
  ends.get('/fails')?.();
  t.equal((await asked[0])?.statusCode, 500);
  await beginning('/3');
  for (const url of ['/2', '/3', '/other']) ends.get(url)?.();
  await beginning('/4');
  ends.get('/4')?.();
  await Promise.all(asked);
});

t.test('a request whose client has gone when its turn comes is not carried out', async (t) => {
  const [begun, ends] = [[] as string[], [] as (() => void)[]];
  const app = Fastify({ forceCloseConnections: true });
  t.teardown(() => app.close());
  const arrived = new Map<string, Promise<unknown>>();
  app.addHook('onRequest', async ({ url, raw }) => void arrived.set(url, once(raw.socket, 'close')));
  await app.register(callerTurns, { callerOf: () => 'one', running: 1 });
  app.post('/:name', async ({ url }) => {
    begun.push(url);
    await new Promise<void>((resolve) => ends.push(resolve));
    return '';
  });
  const address = await app.listen({ port: 0, host: '127.0.0.1' });
  const leave = new AbortController();
  const ask = (path: string, signal?: AbortSignal) =>
    fetch(address + path, { method: 'POST', signal: signal ?? null });
  const until = async (is: () => boolean) => {
    while (!is()) await new Promise(setImmediate);
  };
  const first = ask('/first');
  await until(() => begun.length === 1);
  const gone = ask('/gone', leave.signal);
  await until(() => arrived.has('/gone'));
  const next = ask('/next');
  await until(() => arrived.has('/next'));
  leave.abort();
  await t.rejects(gone, { name: 'AbortError' });
  await arrived.get('/gone');
  ends.shift()?.();
  t.equal((await first).status, 200);
  await until(() => begun.length === 2);
  t.strictSame(begun, ['/first', '/next']);
  ends.shift()?.();
  t.equal((await next).status, 200);
});

t.test('a connection that sends far ahead of its responses is cut', async (t) => {
  const app = Fastify();
  t.teardown(() => app.close());
  watchExchanges(app.server);
  app.get('/', async () => 'ok');
  app.get('/late', () => new Promise(() => {}));
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as AddressInfo;
  const send = (path: string, count: number) => {
    const client = connect(port, '127.0.0.1').setEncoding('latin1');
    client.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(count));
    return client;
  };
  const far = send('/late', 101);
  far.resume();
  await once(far, 'close');
  const few = send('/', 100);
  let text = '';
  for await (const chunk of few) {
    text += chunk;
    if (text.split('HTTP/1.1 200').length === 101) break;
  }
  t.equal(text.split('HTTP/1.1 200').length, 101);
});
