import t, { type Test } from 'tap';
import { PixRefused } from '../src/errors.ts';
import { clientOf, cob, END_TO_END_ID, numberedTokens, startPsp, TXID } from './psp.ts';

const charged = (_request: unknown, reply: { json(status: number, body: unknown): void }) =>
  reply.json(200, cob);

t.test('id and secret go in the Authorization header as they are, with the scopes asked for', async (t) => {
  const psp = await startPsp(t, charged);
  const { client } = clientOf(t, psp.url, { clientId: 'loja:1', clientSecret: 'sé%cret' });
  await client.getCharge(TXID);
  const [request] = psp.received;
  t.match(request, { method: 'POST', url: '/oauth/token' });
  t.equal(request?.headers['content-type'], 'application/x-www-form-urlencoded');
  const basic = Buffer.from(String(request?.headers.authorization).slice('Basic '.length), 'base64');
  t.equal(basic.toString(), 'loja:1:sé%cret');
  t.same(Object.fromEntries(new URLSearchParams(request?.body)), {
    grant_type: 'client_credentials',
    scope: 'cob.write cob.read pix.write pix.read webhook.write webhook.read',
  });
});

t.test('tokens may come from another host', async (t) => {
  const psp = await startPsp(t, charged);
  const other = await startPsp(t, charged);
  const { client } = clientOf(t, psp.url, { tokenUrl: `${other.url}/api/oauth/token` });
  await client.getCharge(TXID);
  t.same([psp.received.length, other.received.length], [1, 1]);
});

t.test('many callers, one token request; it serves them until shortly before its end', async (t) => {
  const clock = { now: 1_000_000 };
  const psp = await startPsp(t, charged);
  const { client } = clientOf(t, psp.url, { now: () => clock.now });
  await Promise.all(Array.from({ length: 20 }, () => client.getCharge(TXID)));
  t.equal(tokensAsked(psp), 1);
  clock.now += 3_539_000;
  await client.getCharge(TXID);
  t.equal(tokensAsked(psp), 1, 'a minute and a second before its end');
  clock.now += 2_000;
  await Promise.all(Array.from({ length: 20 }, () => client.getCharge(TXID)));
  while (tokensAsked(psp) < 2) await new Promise(setImmediate);
  t.equal(psp.calls().at(-1)?.headers.authorization, 'Bearer token-1', 'nobody waits for the renewal');
  while (psp.calls().at(-1)?.headers.authorization === 'Bearer token-1') await client.getCharge(TXID);
  t.equal(tokensAsked(psp), 2, 'renewed once in its last minute');
});

t.test('when renewal fails, the old token serves to its end', async (t) => {
  const clock = { now: 0 };
  const good = numberedTokens(100);
  let down = false;
  const psp = await startPsp(t, charged, (request, reply) =>
    down ? reply.json(503, {}) : good(request, reply),
  );
  const { client } = clientOf(t, psp.url, { now: () => clock.now });
  await client.getCharge(TXID);
  down = true;
  clock.now = 95_000;
  await client.getCharge(TXID);
  t.equal(psp.calls().at(-1)?.headers.authorization, 'Bearer token-1');
  clock.now = 100_000;
  await t.rejects(client.getCharge(TXID), { code: 'PIX_UNAVAILABLE', operation: 'token', status: 503 });
  down = false;
  await client.getCharge(TXID);
  t.equal(psp.calls().at(-1)?.headers.authorization, 'Bearer token-2');
});

t.test('a token server that says nothing stops nothing while the old token is valid', async (t) => {
  const clock = { now: 0 };
  const good = numberedTokens(100);
  let isSilent = false;
  const held: (() => void)[] = [];
  const psp = await startPsp(t, charged, (request, reply) => {
    if (isSilent) held.push(() => good(request, reply));
    else good(request, reply);
  });
  const { client } = clientOf(t, psp.url, { now: () => clock.now, timeoutMs: 30_000 });
  await client.getCharge(TXID);
  isSilent = true;
  clock.now = 95_000;
  for (let call = 0; call < 10; call += 1) t.equal((await client.getCharge(TXID))?.status, 'ATIVA');
  t.equal(tokensAsked(psp), 2, 'one request at a time');
  for (const answer of held) answer();
});

t.test('a failed renewal is not repeated at each call', async (t) => {
  const clock = { now: 0 };
  const good = numberedTokens(100);
  let isDown = false;
  const psp = await startPsp(t, charged, (request, reply) =>
    isDown ? reply.json(503, {}) : good(request, reply),
  );
  const { client } = clientOf(t, psp.url, { now: () => clock.now });
  await client.getCharge(TXID);
  isDown = true;
  clock.now = 91_000;
  // The answer of the renewal follows that of a later request on its connection, or is there already.
  for (let call = 0; call < 20; call += 1) await client.getCharge(TXID);
  const asked = tokensAsked(psp);
  t.ok(asked < 20, `${asked} tokens asked for`);
  for (let call = 0; call < 20; call += 1) await client.getCharge(TXID);
  t.equal(tokensAsked(psp), asked);
});

t.test('a 401 brings a new token once, for refunds too: a refused call did nothing', async (t) => {
  const psp = await startPsp(t, (request, reply) => {
    const good = request.headers.authorization === 'Bearer token-2';
    reply.json(good ? 200 : 401, good ? { id: 'r1', valor: '1.00', status: 'DEVOLVIDO' } : {});
  });
  const { client } = clientOf(t, psp.url);
  const refund = await client.requestRefund('E1234567820200909122120200808008', 'r1', 100);
  t.equal(refund.status, 'DEVOLVIDO');
  t.equal(psp.calls().length, 2);
});

t.test('a second 401 is an answer: it speaks of our access, not of the charge', async (t) => {
  const psp = await startPsp(t, (_request, reply) => reply.json(401, {}));
  const { client } = clientOf(t, psp.url);
  await t.rejects(client.getCharge(TXID), { code: 'PIX_REFUSED', status: 401, aboutAccess: true });
  t.equal(psp.calls().length, 2);
});

t.test('callers whose tokens were refused together ask for one new token', async (t) => {
  const psp = await startPsp(t, (request, reply) =>
    reply.json(request.headers.authorization === 'Bearer token-1' ? 401 : 200, cob),
  );
  const { client } = clientOf(t, psp.url);
  await Promise.all(Array.from({ length: 10 }, () => client.getCharge(TXID)));
  t.equal(tokensAsked(psp), 2);
});

t.test('an operation that always meets a 401 costs one token a minute, and the others go on', async (t) => {
  const clock = { now: 0 };
  const psp = await startPsp(t, (request, reply) =>
    request.url.includes('/devolucao/') ? reply.json(401, {}) : reply.json(200, cob),
  );
  const { client } = clientOf(t, psp.url, { now: () => clock.now });
  const wanted: [seconds: number, tokens: number][] = [
    [0, 2],
    [1, 2],
    [30, 2],
    [59, 2],
    [60, 3],
    [119, 3],
    [120, 4],
  ];
  for (const [seconds, tokens] of wanted) {
    clock.now = seconds * 1_000;
    for (let call = 0; call < 5; call += 1) {
      await t.rejects(client.getRefund(END_TO_END_ID, 'r1'), { code: 'PIX_REFUSED', status: 401 });
      t.equal((await client.getCharge(TXID))?.status, 'ATIVA');
    }
    t.equal(tokensAsked(psp), tokens, `${seconds} s`);
  }
});

const charge = { amount: 1_000, expiresInSeconds: 60 };

/** A PSP that takes only its newest token, and may forget it. */
async function forgettingPsp(t: Test) {
  let issued = 0;
  let isDead = false;
  const psp = await startPsp(
    t,
    (request, reply) => {
      const isGood = !isDead && request.headers.authorization === `Bearer token-${issued}`;
      reply.json(isGood ? 200 : 401, request.url.includes('/pix?') ? { pix: [] } : cob);
    },
    (_request, reply) => {
      issued += 1;
      isDead = false;
      reply.json(200, { access_token: `token-${issued}`, expires_in: 3600 });
    },
  );
  return { psp, forget: () => (isDead = true) };
}

t.test('a token is replaced each time it dies, up to five in a minute', async (t) => {
  const clock = { now: 0 };
  const { psp, forget } = await forgettingPsp(t);
  const { client } = clientOf(t, psp.url, { now: () => clock.now });
  for (let death = 0; death < 5; death += 1) {
    t.equal((await client.putCharge(TXID, charge)).status, 'ATIVA', `after ${death} deaths`);
    clock.now += 1_000;
    forget();
  }
  for (let call = 0; call < 5; call += 1)
    await t.rejects(client.putCharge(TXID, charge), {
      code: 'PIX_UNAVAILABLE',
      reason: 'tokens-used-up',
      isNotAsked: true,
    });
  t.equal(client.breakers.creations.state(), 'closed', 'a dead token is no failure of the bank');
  t.equal(tokensAsked(psp), 5);
  clock.now = 60_000;
  t.equal((await client.putCharge(TXID, charge)).status, 'ATIVA');
});

t.test('other calls leave tokens of the minute to sales', async (t) => {
  const clock = { now: 0 };
  const { psp, forget } = await forgettingPsp(t);
  const { client } = clientOf(t, psp.url, { now: () => clock.now });
  const list = () => client.listPix({ from: new Date(0), to: new Date(1_000), page: 0 });
  const calls = { list, read: () => client.getCharge(TXID), sell: () => client.putCharge(TXID, charge) };
  await Promise.all([calls.list(), calls.read(), calls.sell()]);
  for (const [call, tokens] of [
    ['list', 2],
    ['list', 3],
    ['list', null],
    ['read', 4],
    ['read', null],
    ['sell', 5],
    ['sell', null],
  ] as const) {
    forget();
    if (tokens === null)
      await t.rejects(
        calls[call] as () => Promise<unknown>,
        { code: 'PIX_UNAVAILABLE', reason: 'tokens-used-up' },
        call,
      );
    else {
      await calls[call]();
      t.equal(tokensAsked(psp), tokens, call);
    }
  }
  const { creations, lists, others } = client.breakers;
  t.same([creations.state(), lists.state(), others.state()], ['closed', 'closed', 'closed']);
});

t.test('a missing scope of other operations spends no token that sales need', async (t) => {
  const clock = { now: 0 };
  let good = '';
  const psp = await startPsp(t, (request, reply) => {
    good ||= String(request.headers.authorization);
    const isSale = request.method === 'PUT' && request.url.includes('/cob/');
    reply.json(isSale && request.headers.authorization === good ? 200 : 401, cob);
  });
  const { client } = clientOf(t, psp.url, { now: () => clock.now });
  const withoutScope = () =>
    Promise.all([
      t.rejects(client.getCallback(), { code: 'PIX_REFUSED', status: 401 }),
      t.rejects(client.registerCallback('https://example.com'), { code: 'PIX_REFUSED', status: 401 }),
      t.rejects(client.getRefund(END_TO_END_ID, 'r1'), { code: 'PIX_REFUSED', status: 401 }),
    ]);
  await withoutScope();
  for (let death = 0; death < 3; death += 1) {
    good = '';
    t.equal((await client.putCharge(TXID, charge)).status, 'ATIVA');
    await withoutScope();
    clock.now += 1_000;
  }
  t.ok(tokensAsked(psp) <= 5, `${tokensAsked(psp)} tokens`);
});

t.test('a fresh token that another process ends before its first use is replaced, too', async (t) => {
  let asked = 0;
  const psp = await startPsp(t, (request, reply) =>
    reply.json(request.headers.authorization === 'Bearer token-5' ? 200 : 401, cob),
  );
  psp.server.on('request', () => {
    asked += 1;
  });
  const { client } = clientOf(t, psp.url);
  t.equal((await client.putCharge(TXID, charge)).status, 'ATIVA');
  t.equal(asked, 10, 'five tokens, five calls');
});

t.test('creations that no token helps are a failure of the bank', async (t) => {
  const clock = { now: 0 };
  const psp = await startPsp(t, (_request, reply) => reply.json(401, {}));
  const { client } = clientOf(t, psp.url, { now: () => clock.now });
  for (let call = 0; call < 3; call += 1)
    await t.rejects(client.putCharge(TXID, charge), { code: 'PIX_REFUSED', aboutAccess: true });
  t.equal(client.breakers.creations.state(), 'open');
  t.equal(tokensAsked(psp), 5);
  for (let minute = 1; minute <= 3; minute += 1) {
    clock.now += 60_000;
    await t.rejects(client.putCharge(TXID, charge), { code: 'PIX_REFUSED', aboutAccess: true });
    t.equal(tokensAsked(psp), 5 + minute, 'then one a minute');
  }
});

t.test('a bank that gives a dead token again is asked once', async (t) => {
  const psp = await startPsp(
    t,
    (_request, reply) => reply.json(401, {}),
    (_request, reply) => reply.json(200, { access_token: 'the-same', expires_in: 3600 }),
  );
  const { client } = clientOf(t, psp.url);
  await t.rejects(client.putCharge(TXID, charge), { code: 'PIX_REFUSED', status: 401 });
  t.equal(psp.calls().length, 1);
  t.equal(tokensAsked(psp), 2);
});

t.test(
  'fifty calls that meet a 401 with one old token ask for one new token, whenever it comes',
  async (t) => {
    const clock = { now: 0 };
    const refusals: (() => void)[] = [];
    const psp = await startPsp(
      t,
      (request, reply) => {
        if (request.headers.authorization !== 'Bearer token-1' || clock.now === 0)
          return reply.json(200, cob);
        // The last ones are refused when the new token is in use.
        if (refusals.push(() => reply.json(401, {})) === 50)
          for (const refuse of refusals.slice(0, 25)) refuse();
      },
      numberedTokens(),
    );
    const { client } = clientOf(t, psp.url, { now: () => clock.now });
    await client.getCharge(TXID);
    clock.now = 120_000;
    const calls = Array.from({ length: 50 }, () => client.getCharge(TXID));
    await Promise.any(calls);
    for (const refuse of refusals.slice(25)) refuse();
    t.equal((await Promise.all(calls)).length, 50);
    t.equal(tokensAsked(psp), 2);
  },
);

t.test('wrong credentials are refused, and neither they nor a token show in the error', async (t) => {
  const psp = await startPsp(t, charged, (request, reply) =>
    reply.json(401, { error: 'invalid_client', error_description: `bad client-secret in ${request.body}` }),
  );
  const { client } = clientOf(t, psp.url);
  const error = await client.getCharge(TXID).then(
    () => t.fail('it was let in'),
    (error: unknown) => error,
  );
  t.ok(error instanceof PixRefused && error.aboutAccess);
  t.match(error, { type: 'invalid_client', status: 401 });
  t.notMatch(JSON.stringify(error) + String(error), 'client-secret');
});

t.test('whatever status a token is refused with, it is about our access', async (t) => {
  const psp = await startPsp(t, charged, (_request, reply) => reply.json(400, { error: 'invalid_client' }));
  const { client } = clientOf(t, psp.url);
  await t.rejects(client.getCharge(TXID), { code: 'PIX_REFUSED', status: 400, aboutAccess: true });
});

t.test('a token answer without a token, or without its life', async (t) => {
  const bodies: unknown[] = [{ token_type: 'Bearer' }, 'hello'];
  for (const body of bodies) {
    const psp = await startPsp(t, charged, (_request, reply) => reply.json(200, body));
    const { client } = clientOf(t, psp.url);
    await t.rejects(client.getCharge(TXID), { code: 'PIX_UNAVAILABLE', reason: 'unreadable' });
  }
  const clock = { now: 0 };
  const psp = await startPsp(t, charged, numberedTokens(null));
  const { client } = clientOf(t, psp.url, { now: () => clock.now });
  await client.getCharge(TXID);
  clock.now = 300_000;
  await client.getCharge(TXID);
  t.equal(tokensAsked(psp), 2, 'taken for five minutes');
});

function tokensAsked(psp: { received: { url: string }[] }): number {
  return psp.received.filter((request) => request.url.endsWith('/oauth/token')).length;
}
