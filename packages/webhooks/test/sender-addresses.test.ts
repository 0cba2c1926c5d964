import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { type AddressPolicy, createAddressPolicy } from '../src/addresses.ts';
import type { NameLookup } from '../src/name-lookup.ts';
import { createSender } from '../src/sender.ts';
import {
  confusingUrls,
  internalAnswers,
  internalSpellings,
  loopbackSpellings,
} from './forbidden-addresses.ts';
import { always, answer, hasAddress, type Listener, listen } from './listener.ts';

/** The one private receiver that is allowed; everything else on this machine is internal. */
const ALLOWED = '127.0.0.2';
const policy = createAddressPolicy([`${ALLOWED}/32`]);
const NOT_ALLOWED = { outcome: 'failed', stage: 'address', code: 'not_allowed' };

const hasIpv6 = await hasAddress('::1');
const hasMoreLoopback = await hasAddress(ALLOWED);
const needsMoreLoopback = { skip: !hasMoreLoopback && `this machine does not have ${ALLOWED}` };

/** Listeners on one port of every internal address that the spellings can reach. */
async function inside(t: Test): Promise<{ port: number; connections(): number }> {
  const ipv4 = await listen(t, always(answer(200)));
  const listeners: Listener[] = [ipv4];
  const others = [
    ...(hasMoreLoopback ? ['127.0.0.3', '127.0.1.1', '127.255.255.254'] : []),
    ...(hasIpv6 ? ['::1'] : []),
  ];
  for (const host of others) listeners.push(await listen(t, always(answer(200)), { host, port: ipv4.port }));
  return {
    port: ipv4.port,
    connections: () => listeners.reduce((sum, listener) => sum + listener.connections.length, 0),
  };
}

function sender(t: Test, options: { policy?: AddressPolicy; lookup?: NameLookup } = {}) {
  const sender = createSender({ policy, timeoutMs: 20_000, ...options });
  t.teardown(() => sender.close());
  return (url: string) => sender.send({ url, headers: {}, body: '{}' });
}

/** A resolver that returns these answers in turn, the last one for ever. */
function answersInTurn(...answers: string[][]): NameLookup & { calls: number } {
  const lookup: NameLookup = async () => {
    const answer = answers[Math.min(counted.calls, answers.length - 1)] ?? [];
    counted.calls += 1;
    return answer.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  };
  const counted = Object.assign(lookup, { calls: 0 });
  return counted;
}

/** Counts the sockets that are opened to any address. */
function countSockets(t: Test): () => number {
  let sockets = 0;
  const count = () => {
    sockets += 1;
  };
  subscribe('net.client.socket', count);
  t.teardown(() => unsubscribe('net.client.socket', count));
  return () => sockets;
}

const spellings = [...Object.entries(loopbackSpellings), ...Object.entries(internalSpellings)];

t.test('the table holds many spellings, each once', async (t) => {
  t.ok(spellings.flatMap(([, hosts]) => hosts).length >= 160);
  t.equal(
    new Set(spellings.flatMap(([, hosts]) => hosts)).size,
    spellings.flatMap(([, hosts]) => hosts).length,
  );
});

t.test(
  'without the policy, the loopback spellings reach the internal listeners',
  needsMoreLoopback,
  async (t) => {
    const { port, connections } = await inside(t);
    const open = createAddressPolicy(['0.0.0.0/0', '::/0']);
    let expected = 0;
    for (const [trick, hosts] of Object.entries(loopbackSpellings)) {
      for (const host of hosts) {
        // Node's parser refuses a few of them; other parsers may accept them.
        if ((!hasIpv6 && host.startsWith('[')) || !URL.canParse(`http://${host}:${port}/`)) continue;
        expected += 1;
        // Each spelling has its own sender, so that none uses an open connection.
        t.match(
          await sender(t, { policy: open })(`http://${host}:${port}/`),
          { status: 200 },
          `${trick}: ${host}`,
        );
      }
    }
    t.equal(connections(), expected);
    t.ok(expected >= (hasIpv6 ? 60 : 45), `${expected} spellings`);
  },
);

t.test('no spelling of an internal address opens a connection', async (t) => {
  const { port, connections } = await inside(t);
  const sockets = countSockets(t);
  const send = sender(t);
  for (const [trick, hosts] of spellings) {
    for (const host of hosts) {
      const result = await send(`http://${host}:${port}/`);
      t.match(result, { outcome: 'failed', stage: /^(url|address)$/ }, `${trick}: ${JSON.stringify(host)}`);
    }
  }
  t.equal(sockets(), loopbackSpellings.names?.length, 'only names get as far as a lookup');
  t.equal(connections(), 0);
});

t.test('no confusing URL opens a connection', async (t) => {
  const { port, connections } = await inside(t);
  const sockets = countSockets(t);
  const send = sender(t);
  for (const url of confusingUrls) {
    const result = await send(url.replace('PORT', String(port)));
    t.match(result, { outcome: 'failed', stage: /^(url|address)$/ }, JSON.stringify(url));
  }
  t.same([sockets(), connections()], [0, 0]);
});

t.test(
  'a name with an internal address among its addresses is not connected to',
  needsMoreLoopback,
  async (t) => {
    const { port, connections } = await inside(t);
    const receiver = await listen(t, always(answer(200)), { host: ALLOWED, port });
    for (const bad of internalAnswers) {
      for (const answers of [[bad], [ALLOWED, bad], [bad, ALLOWED], [ALLOWED, '8.8.8.8', bad]]) {
        const send = sender(t, { lookup: answersInTurn(answers) });
        t.match(await send(`http://store.example:${port}/`), NOT_ALLOWED, answers.join(', '));
        t.match(await send(`https://store.example:${port}/`), NOT_ALLOWED, `${answers.join(', ')} over TLS`);
      }
    }
    t.same([connections(), receiver.connections.length], [0, 0]);
  },
);

t.test('a name whose addresses change is judged at every connection', needsMoreLoopback, async (t) => {
  const { port, connections } = await inside(t);
  const closing = (socket: Socket) =>
    socket.once('data', () => socket.end(answer(200, '', { Connection: 'close' })));
  await listen(t, closing, { host: ALLOWED, port });
  const lookup = answersInTurn([ALLOWED], ['127.0.0.1'], [ALLOWED], ['::1'], [ALLOWED, '127.0.0.1']);
  const send = sender(t, { lookup });
  const url = `http://store.example:${port}/`;
  t.match(await send(url), { outcome: 'answered', status: 200 });
  t.match(await send(url), NOT_ALLOWED);
  t.match(await send(url), { outcome: 'answered', status: 200 });
  t.match(await send(url), NOT_ALLOWED);
  t.match(await send(url), NOT_ALLOWED);
  t.equal(connections(), 0);
});

t.test(
  'a connection looks up its name once, so that it uses the judged address',
  needsMoreLoopback,
  async (t) => {
    const { port, connections } = await inside(t);
    await listen(t, always(answer(200)), { host: ALLOWED, port });
    const lookup = answersInTurn([ALLOWED], ['127.0.0.1']);
    const send = sender(t, { lookup });
    for (let i = 0; i < 3; i++) {
      t.match(await send(`http://store.example:${port}/`), { status: 200 });
      // The connection is free again after this turn.
      await setImmediate();
    }
    t.equal(lookup.calls, 1);
    t.equal(connections(), 0);
  },
);

t.test('the connected address is judged, too, before a byte is sent', async (t) => {
  const receiver = await listen(t, always(answer(200)));
  for (const scheme of ['http', 'https']) {
    let judged = 0;
    // Lets the lookup's result pass, as if it had changed between the lookup and the socket.
    const forgetful: AddressPolicy = { allows: () => ++judged === 1, allowsHostname: () => true };
    const send = sender(t, { policy: forgetful, lookup: answersInTurn(['127.0.0.1']) });
    t.match(await send(`${scheme}://store.example:${receiver.port}/`), NOT_ALLOWED, scheme);
    t.equal(judged, 2);
  }
  await receiver.idle();
  t.equal(receiver.received(), '');
});

t.test('a redirect to an internal address is not followed in any spelling', needsMoreLoopback, async (t) => {
  const { port, connections } = await inside(t);
  const hosts = Object.values(loopbackSpellings)
    .flat()
    .filter((host) => /^[!-~]+$/.test(host));
  for (const host of hosts) {
    const redirect = answer(307, '', { Location: `http://${host}:${port}/` });
    const receiver = await listen(t, always(redirect), { host: ALLOWED });
    t.match(await sender(t)(receiver.url), { outcome: 'answered', status: 307 }, host);
  }
  t.equal(connections(), 0);
});

t.test('a denied address is not connected to, even if allowed', needsMoreLoopback, async (t) => {
  const receiver = await listen(t, always(answer(200)), { host: ALLOWED });
  const denying = createAddressPolicy(['127.0.0.0/8'], [`${ALLOWED}/32`]);
  const ways: [url: string, lookup: NameLookup][] = [
    [`http://${ALLOWED}:${receiver.port}/`, answersInTurn([])],
    [`http://[::ffff:${ALLOWED}]:${receiver.port}/`, answersInTurn([])],
    [`http://store.example:${receiver.port}/`, answersInTurn([ALLOWED])],
    [`http://store.example:${receiver.port}/`, answersInTurn(['127.0.0.1', ALLOWED])],
    [`http://store.example:${receiver.port}/`, answersInTurn([`::ffff:${ALLOWED}`])],
  ];
  for (const [url, lookup] of ways)
    t.match(await sender(t, { policy: denying, lookup })(url), NOT_ALLOWED, url);
  t.equal(receiver.connections.length, 0);
});
