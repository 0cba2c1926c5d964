import type { LookupAddress } from 'node:dns';
import t, { type Test } from 'tap';
import { createAddressPolicy } from '../src/addresses.ts';
import { createNameLookup } from '../src/name-lookup.ts';
import { createSender } from '../src/sender.ts';
import { answer, hasAddress, listen } from './listener.ts';
import { type Reply, startNameServer } from './name-server.ts';

// Each test has a name server of its own, and mostly waits for silent ones.
t.jobs = 4;

/** For servers that respond; tests of silent ones pass a shorter time. */
const QUERY_MS = 2_000;

async function lookupAt(
  t: Test,
  reply: (name: string, type: 'A' | 'AAAA') => Reply | Promise<Reply>,
  timeoutMs = QUERY_MS,
) {
  const server = await startNameServer(t, reply);
  const lookup = createNameLookup([server.address], timeoutMs);
  return { lookup, queries: server.queries };
}

t.test('the addresses of both families, IPv4 first', { buffered: true }, async (t) => {
  const { lookup } = await lookupAt(t, () => ({
    ipv4: ['8.8.8.8', '8.8.4.4'],
    ipv6: ['2606:4700::1111'],
  }));
  t.same(await lookup('store.example'), [
    { address: '8.8.8.8', family: 4 },
    { address: '8.8.4.4', family: 4 },
    { address: '2606:4700::1111', family: 6 },
  ]);
});

t.test('one family is enough, whatever the result of the other', { buffered: true }, async (t) => {
  for (const other of [{}, 'unknown', 'broken', 'silent'] as const) {
    const { lookup } = await lookupAt(t, (_name, type) => (type === 'A' ? { ipv4: ['8.8.8.8'] } : other));
    t.same(await lookup('store.example'), [{ address: '8.8.8.8', family: 4 }], `IPv4, and ${String(other)}`);
  }
  const { lookup } = await lookupAt(t, (_name, type) =>
    type === 'AAAA' ? { ipv6: ['2606:4700::1111'] } : {},
  );
  t.same(await lookup('store.example'), [{ address: '2606:4700::1111', family: 6 }]);
});

t.test('errors have three codes', { buffered: true }, async (t) => {
  const table: [reply: Reply, code: string][] = [
    ['unknown', 'ENOTFOUND'],
    [{}, 'ENODATA'],
    ['broken', 'EAI_AGAIN'],
    ['silent', 'EAI_AGAIN'],
  ];
  for (const [reply, code] of table) {
    const { lookup } = await lookupAt(t, () => reply, reply === 'silent' ? 100 : QUERY_MS);
    await t.rejects(lookup('nothing.invalid'), { code }, code);
  }
});

t.test('the system looks up names without a dot', { buffered: true }, async (t) => {
  const { lookup, queries } = await lookupAt(t, () => 'broken');
  t.match((await lookup('localhost')).map(({ address }) => address).sort()[0], /^(127\.0\.0\.1|::1)$/);
  t.same(queries, []);
});

t.test('names that do not resolve yet do not delay one that does', { buffered: true }, async (t) => {
  const held = Promise.withResolvers<Reply>();
  const { lookup } = await lookupAt(
    t,
    (name) => (name === 'store.example' ? { ipv4: ['8.8.8.8'] } : held.promise),
    60_000,
  );
  let over = 0;
  const silent = Array.from({ length: 100 }, (_, i) =>
    t.rejects(lookup(`black-hole-${i}.example`), { code: 'ENODATA' }).finally(() => over++),
  );
  await lookup('store.example');
  t.equal(over, 0);
  held.resolve({});
  await Promise.all(silent);
});

t.test('names that DNS does not answer leave others the system', { buffered: true }, async (t) => {
  const server = await startNameServer(t, (name) => (name.startsWith('only-here') ? 'unknown' : 'broken'));
  const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<LookupAddress[]>()];
  const here = [{ address: '10.0.0.1', family: 4 }];
  let atOnce = 0;
  const lookup = createNameLookup([server.address], QUERY_MS, async (name) => {
    if (name.startsWith('only-here')) return here;
    atOnce += 1;
    asked.resolve();
    return held.promise;
  });
  const broken = Array.from({ length: 100 }, (_, i) => lookup(`broken-${i}.example`));
  await asked.promise;
  for (let i = 0; i < 5; i += 1) t.same(await lookup(`only-here-${i}.example`), here);
  t.equal(atOnce, 1);
  held.resolve(here);
  for (const one of broken) t.same(await one, here, 'each is looked up in its turn');
});

const needsMoreLoopback = {
  skip: !(await hasAddress('127.0.0.2')) && 'this machine does not have 127.0.0.2',
};

t.test(
  'a name server that changes its response between connections opens no internal address',
  needsMoreLoopback,
  async (t) => {
    const inside = await listen(t, () => {});
    let asked = 0;
    const { lookup } = await lookupAt(t, (_name, type) => {
      if (type === 'AAAA') return {};
      asked += 1;
      return { ipv4: [asked % 2 === 1 ? '127.0.0.2' : '127.0.0.1'] };
    });
    const receiver = await listen(
      t,
      (socket) => socket.once('data', () => socket.end(answer(200, '', { Connection: 'close' }))),
      { host: '127.0.0.2', port: inside.port },
    );
    const sender = createSender({
      policy: createAddressPolicy(['127.0.0.2/32']),
      timeoutMs: 20_000,
      lookup,
    });
    t.teardown(() => sender.close());
    const send = () => sender.send({ url: `http://store.example:${inside.port}/`, headers: {}, body: '{}' });
    for (let i = 0; i < 5; i++) {
      t.match(await send(), { outcome: 'answered', status: 200 });
      t.match(await send(), { outcome: 'failed', stage: 'address', code: 'not_allowed' });
    }
    t.equal(receiver.connections.length, 5);
    t.equal(inside.connections.length, 0);
  },
);
