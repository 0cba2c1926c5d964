import { once } from 'node:events';
import { Session } from 'node:inspector/promises';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { createAddressPolicy } from '../src/addresses.ts';
import type { NameLookup } from '../src/name-lookup.ts';
import { createSender, type SenderOptions } from '../src/sender.ts';
import { always, answer, listen, onRequest } from './listener.ts';

/** Where the deadline matters; elsewhere it is far away, for busy machines. */
const TIMEOUT_MS = 2_000;
const FAR_MS = 20_000;

const policy = createAddressPolicy(['127.0.0.0/8', '::1/128']);

function sender(t: Test, options: Partial<SenderOptions> = {}) {
  const sender = createSender({ policy, timeoutMs: FAR_MS, ...options });
  t.teardown(() => sender.close());
  return {
    ...sender,
    post: (url: string, body = '{"event":"payment.created"}') =>
      sender.send({ url, body, headers: { 'content-type': 'application/json', 'webhook-id': 'one' } }),
  };
}

/** A resolver with one answer. */
const resolvesTo =
  (...addresses: string[]): NameLookup =>
  async () =>
    addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));

const failsWith =
  (code: string): NameLookup =>
  async (name) => {
    throw Object.assign(new Error(`getaddrinfo ${code} ${name}`), { code });
  };

t.test('plain http may be refused, before anything is connected', async (t) => {
  const receiver = await listen(t, always(answer(200, 'thanks')));
  const { post } = sender(t, { allowHttp: false });
  t.match(await post(`${receiver.url}/hook`), {
    outcome: 'failed',
    stage: 'url',
    code: 'plain_http',
  });
  t.equal(receiver.connections.length, 0);
});

t.test('a POST arrives unchanged, and its response is returned', async (t) => {
  const receiver = await listen(t, always(answer(200, 'thanks')));
  const { post } = sender(t);
  const result = await post(`${receiver.url}/hook/a%20b?c=d#fragment`, '{"observation":"café"}');
  t.match(result, { outcome: 'answered', status: 200, retryAfter: null, responseExcerpt: 'thanks' });
  t.ok(result.durationMs < FAR_MS);
  const [head = '', body] = receiver.received().split('\r\n\r\n');
  t.equal(body, '{"observation":"café"}');
  const [requestLine, ...headers] = head.split('\r\n');
  t.equal(requestLine, 'POST /hook/a%20b?c=d HTTP/1.1');
  t.same(headers.sort(), [
    'connection: keep-alive',
    'content-length: 23',
    'content-type: application/json',
    `host: 127.0.0.1:${receiver.port}`,
    'webhook-id: one',
  ]);
});

t.test('any status is a response, with its Retry-After', async (t) => {
  for (const status of [200, 204, 299, 301, 400, 404, 410, 429, 500, 503]) {
    const receiver = await listen(t, always(answer(status, '', { 'Retry-After': '120' })));
    t.match(
      await sender(t).post(receiver.url),
      { outcome: 'answered', status, retryAfter: '120' },
      String(status),
    );
  }
});

t.test('interim responses that nobody asked for are no failure', async (t) => {
  const unasked = 'HTTP/1.1 100 Continue\r\n\r\n';
  const table: [what: string, response: string][] = [
    ['100', unasked + answer(200, 'ok')],
    ['100 twice', unasked + unasked + answer(200, 'ok')],
    [
      '100 with headers',
      `HTTP/1.1 100 Continue\r\nserver: x\r\ncontent-length: 0\r\n\r\n${answer(200, 'ok')}`,
    ],
    ['103', `HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n${answer(200, 'ok')}`],
  ];
  for (const [what, response] of table) {
    const receiver = await listen(t, always(response));
    const { post } = sender(t);
    for (let i = 0; i < 3; i++) {
      t.match(await post(receiver.url), { outcome: 'answered', status: 200, responseExcerpt: 'ok' }, what);
      await setImmediate();
    }
    t.equal(receiver.connections.length, 1, `${what}: the connection is kept`);
  }
});

t.test('a 100 at the beginning of the request, and the response after it', async (t) => {
  const receiver = await listen(t, (socket) => {
    socket.once('data', () => socket.write('HTTP/1.1 100 Continue\r\n\r\n'));
    onRequest(socket, () => socket.write(answer(503, '', { 'Retry-After': '120' })));
  });
  const result = await sender(t).post(receiver.url);
  t.match(result, { outcome: 'answered', status: 503, retryAfter: '120' });
});

t.test('a 100 and nothing more is no success', async (t) => {
  const receiver = await listen(t, (socket) =>
    onRequest(socket, () => socket.end('HTTP/1.1 100 Continue\r\n\r\n')),
  );
  const failure = { outcome: 'failed', stage: 'response', code: 'connection_closed' };
  t.match(await sender(t).post(receiver.url), failure);
});

t.test('one connection serves successive POSTs', async (t) => {
  const receiver = await listen(t, always(answer(200, 'ok')));
  const { post } = sender(t);
  for (let i = 0; i < 10; i++) {
    t.match(await post(receiver.url), { status: 200 });
    await setImmediate(); // a connection is free one turn of the event loop after its response
  }
  t.equal(receiver.connections.length, 1);
});

t.test('a thousand connections are kept open, whatever the number of hosts', async (t) => {
  const receiver = await listen(t, always(answer(200, 'ok', { 'keep-alive': 'timeout=60' })));
  const { post } = sender(t, { lookup: resolvesTo('127.0.0.1') });
  for (let sent = 0; sent < 1_200; sent += 50) {
    const hosts = Array.from(
      { length: 50 },
      (_, index) => `http://host-${sent + index}.test:${receiver.port}/`,
    );
    for (const result of await Promise.all(hosts.map((host) => post(host)))) t.match(result, { status: 200 });
  }
  t.ok(receiver.peak() <= 1_000 + 2 * 50, `${receiver.peak()} at once`);
});

t.test('a redirect is not followed: nothing connects to its target', async (t) => {
  const inside = await listen(t, always(answer(200)));
  const { post } = sender(t);
  for (const status of [301, 302, 303, 307, 308]) {
    const receiver = await listen(
      t,
      always(answer(status, '', { Location: `${inside.url}/latest/meta-data` })),
    );
    t.match(await post(receiver.url), { outcome: 'answered', status });
  }
  t.equal(inside.connections.length, 0);
});

t.test('endless responses are cut at the deadline', async (t) => {
  const drip = (socket: Socket, first: string, piece: string) => {
    socket.write(first);
    const timer = setInterval(() => socket.write(piece), 20);
    socket.on('close', () => clearInterval(timer));
  };
  const table: [what: string, code: string, serve: (socket: Socket) => void][] = [
    ['hangs after accepting', 'no_response_in_time', () => {}],
    ['drips headers', 'no_response_in_time', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n', 'a: b\r\n')],
    [
      'sends interim answers only',
      'no_response_in_time',
      (socket) => drip(socket, '', 'HTTP/1.1 102 Wait\r\n\r\n'),
    ],
    [
      'goes on saying to continue',
      'no_response_in_time',
      (socket) => drip(socket, '', 'HTTP/1.1 100 Continue\r\n\r\n'),
    ],
    [
      'drips a body',
      'response_incomplete',
      (socket) => drip(socket, answer(200, ' '.repeat(99)).slice(0, -99), 'x'),
    ],
    [
      'drips chunks',
      'response_incomplete',
      (socket) => drip(socket, 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\nx\r\n'),
    ],
    ['drips until close', 'response_incomplete', (socket) => drip(socket, 'HTTP/1.1 200 OK\r\n\r\n', 'x')],
  ];
  const judge = async ([what, code, serve]: (typeof table)[number]) => {
    const receiver = await listen(t, serve);
    const started = performance.now();
    const result = await sender(t, { timeoutMs: TIMEOUT_MS }).post(receiver.url);
    const took = performance.now() - started;
    t.match(result, { outcome: 'failed', stage: 'timeout', code }, what);
    t.ok(took >= TIMEOUT_MS - 5, `${what}: after ${Math.round(took)} ms`);
    await receiver.idle();
  };
  await Promise.all(table.map(judge));
});

t.test('a response that arrived in time counts, also if the process stood still meanwhile', async (t) => {
  const step = new Int32Array(new SharedArrayBuffer(4));
  const receiver = new Worker(
    `const { parentPort, workerData: { step, answer } } = require('node:worker_threads');
    const server = require('node:net').createServer((socket) =>
      socket.on('error', () => {}).once('data', () => {
        parentPort.postMessage('received');
        Atomics.wait(step, 0, 0);
        socket.write(answer, () => {
          Atomics.store(step, 0, 2);
          Atomics.notify(step, 0);
        });
      }),
    );
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true, workerData: { step, answer: answer(200, 'in time') } },
  );
  t.teardown(() => receiver.terminate());
  const [port] = await once(receiver, 'message');
  const result = sender(t, { timeoutMs: TIMEOUT_MS }).post(`http://127.0.0.1:${port}/`);
  await once(receiver, 'message');
  Atomics.store(step, 0, 1);
  Atomics.notify(step, 0);
  Atomics.wait(step, 0, 1);
  // Stands still beyond the deadline.
  Atomics.wait(step, 0, 2, TIMEOUT_MS);
  t.match(await result, { outcome: 'answered', status: 200, responseExcerpt: 'in time' });
});

t.test('receivers that break off or do not speak HTTP', async (t) => {
  const table: [what: string, code: string, serve: (socket: Socket) => void][] = [
    [
      'resets after the request',
      'connection_reset',
      (socket) => onRequest(socket, () => socket.resetAndDestroy()),
    ],
    ['closes after the request', 'connection_closed', (socket) => onRequest(socket, () => socket.end())],
    [
      'closes within the headers',
      'connection_closed',
      (socket) => onRequest(socket, () => socket.end('HTTP/1.1 200 OK\r\nco')),
    ],
    [
      'closes within the body',
      'connection_closed',
      (socket) => onRequest(socket, () => socket.end(answer(200, 'all of it').slice(0, -3))),
    ],
    ['answers garbage', 'not_http_response', always('\x16\x03\x01 this is not HTTP\r\n\r\n')],
    ['answers another protocol', 'not_http_response', always('SSH-2.0-OpenSSH_9.9\r\n')],
    [
      'answers with endless headers',
      'headers_too_large',
      (socket) => onRequest(socket, () => socket.write(`HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(9000)}`)),
    ],
    [
      'answers with two lengths',
      'not_http_response',
      always('HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab'),
    ],
    [
      'switches protocols',
      'connection_closed',
      always('HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
    ],
  ];
  for (const [what, code, serve] of table) {
    const receiver = await listen(t, serve);
    t.match(await sender(t).post(receiver.url), { outcome: 'failed', stage: 'response', code }, what);
  }
});

t.test('a receiver that resets a connection before the request', async (t) => {
  const receiver = await listen(t, (socket) => socket.resetAndDestroy());
  // The network decides which of the two sees it first.
  const seen = { outcome: 'failed', stage: /^(connect|response)$/, code: /^connection_(reset|closed)$/ };
  t.match(await sender(t).post(receiver.url), seen);
});

t.test('only the beginning of a very long response is read, and its status counts', async (t) => {
  const block = Buffer.alloc(1 << 20, 'a');
  const receiver = await listen(t, (socket) =>
    onRequest(socket, () => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${1 << 30}\r\n\r\n`);
      const more = () => {
        while (!socket.destroyed && socket.write(block));
      };
      socket.on('drain', more);
      more();
    }),
  );
  const { post } = sender(t);
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 20; i++) {
    const result = await post(receiver.url);
    t.match(result, { outcome: 'answered', status: 200, responseExcerpt: 'a'.repeat(1024) });
  }
  await receiver.idle();
  const sent = receiver.connections.reduce((sum, socket) => sum + socket.bytesWritten, 0);
  t.ok(sent < 20 * (16 << 20), `${sent} of 20 GB left the receiver`);
  t.ok(process.memoryUsage().rss - before < 100 << 20, 'memory is bounded');
});

t.test('a flood that is neither header nor body is cut', async (t) => {
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
  const floods: [what: string, begin: string, more: string][] = [
    ['blank lines', '', '\r\n'],
    ['a status line', 'HTTP/1.1 200 O', 'K'],
    ['blanks before a value', 'HTTP/1.1 200 OK\r\na:', ' '],
    ['the size of a chunk', chunked, '0'],
    ['the extensions of a chunk', `${chunked}1`, ';a=b'],
    ['blanks in a trailer', `${chunked}0\r\na:`, ' '],
  ];
  for (const [what, begin, more] of floods) {
    const block = more.repeat(65_536 / more.length);
    const receiver = await listen(t, (socket) => {
      const pour = () => {
        while (!socket.destroyed && socket.bytesWritten < 1 << 27 && socket.write(block));
      };
      socket.on('drain', pour);
      onRequest(socket, () => {
        socket.write(begin);
        pour();
      });
    });
    const result = await sender(t).post(receiver.url);
    t.match(result, { outcome: 'failed', stage: 'response', code: 'response_too_long' }, what);
    await receiver.idle();
  }
});

t.test('many responses on one connection are no flood', async (t) => {
  const receiver = await listen(t, always(answer(200, 'a'.repeat(16_000))));
  const { post } = sender(t);
  for (let i = 0; i < 100; i++) {
    t.match(await post(receiver.url), { status: 200 });
    await setImmediate();
  }
  t.equal(receiver.connections.length, 1);
});

t.test('a flood of interim responses is cut', async (t) => {
  for (const interim of ['100 Continue', '102 Wait', '103 Early Hints']) {
    let sent = 0;
    const receiver = await listen(t, (socket) => {
      const flood = `HTTP/1.1 ${interim}\r\n\r\n`.repeat(1_000);
      const pour = () => {
        for (let more = true; more && !socket.destroyed; sent += 1_000) more = socket.write(flood);
      };
      socket.on('drain', pour);
      onRequest(socket, pour);
    });
    const result = await sender(t, { timeoutMs: FAR_MS }).post(receiver.url);
    t.match(result, { outcome: 'failed', stage: 'response', code: 'response_too_long' }, interim);
    await receiver.idle();
    t.ok(sent < 1_000_000, `${sent} of ${interim}`);
  }
});

t.test('a flood of header lines is cut at the limit', async (t) => {
  const lines = 'a: b\r\n'.repeat(9_000);
  const heads = [lines, `transfer-encoding: chunked\r\n\r\n0\r\n${lines}`];
  for (const head of heads) {
    const receiver = await listen(t, (socket) =>
      onRequest(socket, () => socket.write(`HTTP/1.1 200 OK\r\n${head}`)),
    );
    const errors = await callsOf('HeadersOverflowError', async () => {
      const result = await sender(t).post(receiver.url);
      t.match(result, { outcome: 'failed', stage: 'response', code: 'headers_too_large' });
      await receiver.idle();
    });
    t.equal(errors, 1, 'and no line after it is read');
  }
});

/** @returns how often functions of this name were called during the work */
async function callsOf(name: string, work: () => Promise<void>): Promise<number> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true });
  await work();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const functions = result.flatMap((script) => script.functions);
  return functions
    .filter(({ functionName }) => functionName === name)
    .reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0);
}

t.test('the excerpt is safe text for a database and a terminal', async (t) => {
  const table: [body: string | Buffer, excerpt: string][] = [
    ['', ''],
    ['line\r\n\tline', 'line\r\n\tline'],
    ['a\0b', 'a\ufffdb'],
    ['\x1b[31mred', '\ufffd[31mred'],
    [Buffer.from([0x61, 0xff, 0xfe, 0x62]), 'a\ufffd\ufffdb'],
    ['é'.repeat(600), 'é'.repeat(512)],
    [`a${'é'.repeat(600)}`, `a${'é'.repeat(511)}`],
    ['😀'.repeat(300), '😀'.repeat(256)],
  ];
  for (const [body, excerpt] of table) {
    const head = `HTTP/1.1 500 X\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
    const receiver = await listen(t, always(Buffer.concat([Buffer.from(head), Buffer.from(body)])));
    t.match(await sender(t).post(receiver.url), { status: 500, responseExcerpt: excerpt });
  }
});

t.test('a missing receiver', async (t) => {
  const name = 'http://store.example/';
  const table: [what: string, lookup: NameLookup, failure: object][] = [
    ['no such name', failsWith('ENOTFOUND'), { stage: 'dns', code: 'name_not_found' }],
    ['a name server out of order', failsWith('EAI_AGAIN'), { stage: 'dns', code: 'name_unresolved' }],
    ['a name without addresses', resolvesTo(), { stage: 'dns', code: 'name_without_address' }],
    [
      'a resolver that never answers',
      () => new Promise(() => {}),
      { stage: 'timeout', code: 'not_connected_in_time' },
    ],
    ['an unknown error', failsWith('getaddrinfo 10.0.0.7'), { stage: 'dns', code: 'failed' }],
  ];
  for (const [what, lookup, failure] of table) {
    t.match(
      await sender(t, { lookup, timeoutMs: TIMEOUT_MS }).post(name),
      { outcome: 'failed', ...failure },
      what,
    );
  }
  const refused = await sender(t).post('http://127.0.0.1:1/');
  t.match(refused, { outcome: 'failed', stage: 'connect', code: 'connection_refused' });
  const allRefuse = sender(t, { lookup: resolvesTo('127.0.0.1', '::1') });
  t.match(await allRefuse.post('http://store.example:1/'), {
    stage: 'connect',
    code: /refused|unreachable/,
  });
});

t.test('a refusing address does not matter if another accepts', async (t) => {
  const receiver = await listen(t, always(answer(200)));
  const { post } = sender(t, { lookup: resolvesTo('::1', '127.0.0.1') });
  t.match(await post(`http://store.example:${receiver.port}/`), { outcome: 'answered', status: 200 });
});

t.test('an unusable URL is a failure, never an exception', async (t) => {
  const { post, send } = sender(t);
  const urls = [
    '',
    'store.example',
    'http://',
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'http://1.2.3.4.5/',
  ];
  for (const url of [
    ...urls,
    'http://user@127.0.0.1/',
    'http://:secret@127.0.0.1/',
    'http://127.0.0.1:70000/',
  ]) {
    t.match(await post(url), { outcome: 'failed', stage: 'url' }, url);
  }
  const headers = { 'webhook-id': 'split\r\nx: y' };
  t.match(await send({ url: 'http://127.0.0.1:1/', headers, body: '' }), { outcome: 'failed' });
});

t.test('closing finishes requests in flight, then refuses others', async (t) => {
  const receiver = await listen(t, (socket) =>
    onRequest(socket, () => setTimeout(() => socket.write(answer(200)), 50)),
  );
  const { post, close } = sender(t);
  const inFlight = [post(receiver.url), post(receiver.url)];
  await receiver.connection();
  await close();
  t.match(await Promise.all(inFlight), [{ status: 200 }, { status: 200 }]);
  t.match(await post(receiver.url), { outcome: 'failed', stage: 'connect', code: 'sender_closed' });
  await receiver.idle();
});
