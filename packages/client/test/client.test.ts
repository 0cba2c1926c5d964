import { query } from '@payments/testing/sessions';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { ApiError, ConnectionError, createClient, isFinal, WaitTimeout } from '../src/index.ts';
import { startFlakyWay } from './flaky-way.ts';

/** The client with the running service, over a proxy that loses responses. */
const system = await startSystem({ env: { SCAN_INTERVAL_SECONDS: '1' } });
const way = await startFlakyWay(system.url);
t.teardown(async () => {
  await way.close();
  await system.stop();
});
const newClient = async (options = {}) => {
  const { token } = await system.createStore();
  return createClient({ baseUrl: `${way.url}/`, token, ...options });
};
const thrown = (call: Promise<unknown>) =>
  call.then(
    () => t.fail('nothing was thrown'),
    (error: unknown) => error,
  );

t.test('creates, reads, lists, pays, waits', async (t) => {
  const payments = await newClient();
  const created = await payments.create({ amount: 19.9, observation: 'Açaí', email: 'a@example.com' });
  t.match(created, { status: 'pending', amount: 19.9, observation: 'Açaí', isPublic: true });
  t.match(await payments.get(created.id), { ...created, webhookUrl: null });
  t.match(await payments.list({ status: 'pending', limit: 1 }), {
    total: 1,
    limit: 1,
    items: [{ id: created.id }],
  });
  t.strictSame((await payments.list({ status: 'approved' })).items, []);

  const paid = payments.waitFor(created.id, { intervalMs: 20 });
  await system.bank('/bank/pay', { pixCopiaECola: created.qrCopyPaste });
  t.equal((await paid).status, 'approved');
  t.strictSame(
    ['pending', 'review', 'approved', 'not_approved'].map((status) => isFinal(status as 'paid')),
    [false, false, true, true],
  );
});

t.test('reads all pages', async (t) => {
  const payments = await newClient();
  const ids: string[] = [];
  for (let batch = 0; batch < 5; batch += 1) {
    const created = await Promise.all(Array.from({ length: 41 }, () => payments.create({ amount: 5 })));
    ids.push(...created.map(({ id }) => id));
  }
  const before = way.count();
  const found: string[] = [];
  for await (const { id } of payments.each()) found.push(id);
  t.equal(way.count() - before, 2, 'of 200 each');
  t.strictSame(found.sort(), ids.sort());
});

t.test('skips and repeats nothing while payments are created and leave the status', async (t) => {
  const payments = await newClient();
  const ids: string[] = [];
  for (let made = 0; made < 210; made += 30) {
    const created = await Promise.all(Array.from({ length: 30 }, () => payments.create({ amount: 5 })));
    ids.push(...created.map(({ id }) => id));
  }
  const found: string[] = [];
  for await (const { id } of payments.each({ status: 'pending' })) {
    found.push(id);
    if (found.length !== 200) continue;
    for (const moved of found.slice(0, 5))
      await system.admin(`/admin/payments/${moved}/status`, { body: { status: 'not_approved' } });
    await payments.create({ amount: 5 });
  }
  t.strictSame(found.sort(), ids.sort());
});

t.test('an undefined option counts as absent', async (t) => {
  const payments = await newClient({ timeoutMs: undefined, retries: undefined, fetch: undefined });
  way.next(502);
  t.equal((await payments.list()).total, 0);
});

t.test('errors are the service’s own', async (t) => {
  const payments = await newClient();
  const refused = await thrown(payments.create({ amount: 1 }));
  t.ok(refused instanceof ApiError);
  t.match(refused, {
    statusCode: 400,
    message: 'Valor mínimo permitido para geração de pagamentos é R$ 5,00.',
    code: 'amountTooLow',
    requestId: /^[\w-]{36}$/,
  });
  t.match(await thrown(payments.get('none')), { statusCode: 404, message: 'Pagamento não encontrado.' });
  const before = way.count();
  t.match(await thrown((await newClient({ token: 'pp_wrong' })).list()), {
    statusCode: 401,
    code: 'tokenInvalid',
    message: 'Token inválido ou expirado.',
  });
  t.equal(way.count() - before, 1, 'a 4xx is not retried');
});

t.test('a creation whose responses are lost is made once, under one key', async (t) => {
  const payments = await newClient();
  way.next('lose the response', 502, 'lose the response');
  const { id } = await payments.create({ amount: 7 });
  t.match(await payments.list(), { total: 1, items: [{ id }] });

  way.next('lose the response');
  const own = await payments.create({ amount: 8 }, { idempotencyKey: 'order-42' });
  t.equal((await payments.create({ amount: 8 }, { idempotencyKey: 'order-42' })).id, own.id);
  t.match(await thrown(payments.create({ amount: 9 }, { idempotencyKey: 'order-42' })), { statusCode: 422 });
  t.equal((await payments.list()).total, 2);
});

t.test('gives up after the last attempt, with the reason', async (t) => {
  // A request that is given up before it arrives is asked for all the same, and leaves nothing to the next ones.
  const mute = await startFlakyWay(system.url);
  t.teardown(mute.close);
  mute.next('hang', 'hang');
  let asked = 0;
  const counted: typeof fetch = (...request) => {
    asked += 1;
    return fetch(...request);
  };
  const payments = await newClient({ baseUrl: mute.url, retries: 1, timeoutMs: 1_500, fetch: counted });
  const error = await thrown(payments.list());
  t.ok(error instanceof ConnectionError);
  t.match(error, {
    message: 'GET /api-public/payments: no response within 1500 ms',
    cause: { name: 'TimeoutError' },
  });
  t.equal(asked, 2);

  way.next(502, 502);
  const patient = await newClient({ retries: 1 });
  t.match(await thrown(patient.list()), { name: 'ApiError', statusCode: 502, message: '502 Bad Gateway' });
  const nobody = createClient({ baseUrl: 'http://127.0.0.1:9', token: '', retries: 0 });
  t.match(await thrown(nobody.list()), { name: 'ConnectionError', message: /no response$/ });
});

t.test('a redirected creation is an error, not the list that is read there', async (t) => {
  const payments = await newClient();
  const before = way.count();
  for (const status of [301, 302, 303, 307, 308]) {
    way.next([status, { location: '/api-public/payments' }]);
    t.match(await thrown(payments.create({ amount: 5 })), { name: 'ApiError', statusCode: status });
  }
  t.equal(way.count() - before, 5, 'nothing is asked again');
});

t.test('a proxy’s Retry-After may be a date', async (t) => {
  const payments = await newClient();
  const before = way.count();
  way.next([503, { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }]);
  const { retryAfter } = (await thrown(payments.list())) as ApiError;
  t.ok(retryAfter! > 3_000 && retryAfter! <= 3_600, `${retryAfter} s`);
  t.equal(way.count() - before, 1, 'nobody waits for an hour');
  for (const [date, seconds] of [
    ['Fri, 27 Nov 2020 00:00:00 GMT', 0],
    ['soon', undefined],
  ] as const) {
    way.next([409, { 'retry-after': date }]);
    t.equal(((await thrown(payments.list())) as ApiError).retryAfter, seconds, date);
  }
});

t.test('what can’t be sent is a mistake of the program, and no missing response', async (t) => {
  const payments = await newClient();
  const misquoted = await newClient({ token: 'pp_“quoted”' });
  const before = way.count();
  const mistakes = [
    () => payments.create({ amount: 5 }, { idempotencyKey: 'pedido – 42' }),
    () => payments.create({ amount: 5n as unknown as number }),
    () => misquoted.list(),
  ];
  for (const mistake of mistakes) t.equal(((await thrown(mistake())) as Error).name, 'TypeError');
  t.equal(way.count(), before, 'nothing was sent');
});

t.test('ends at once when aborted', async (t) => {
  const payments = await newClient();
  const controller = new AbortController();
  way.next('hang');
  const before = way.count();
  const listing = thrown(payments.list({}, { signal: controller.signal }));
  // Else the next request would be the one that hangs, for as long as a request may take.
  await eventually('the request', async () => way.count() > before || undefined);
  controller.abort(new Error('the customer left'));
  t.match(await listing, { message: 'the customer left' });

  const { id } = await payments.create({ amount: 5 });
  t.match(await thrown(payments.waitFor(id, { signal: AbortSignal.timeout(50) })), { name: 'TimeoutError' });
  const waited = await thrown(payments.waitFor(id, { timeoutMs: 50, intervalMs: 20 }));
  t.ok(waited instanceof WaitTimeout);
  t.match(waited, {
    message: 'the payment is still pending after 50 ms',
    payment: { id, status: 'pending' },
  });
});

t.test('calls the token function at every attempt, and uses a new token at once', async (t) => {
  const { token } = await system.createStore();
  const tokens = ['pp_one', token];
  const payments = createClient({ baseUrl: way.url, token: async () => tokens.shift() ?? '' });
  way.next('lose the response');
  t.equal((await payments.list()).total, 0);
  t.strictSame(tokens, []);
});

t.test('follows the feed of events, and goes on from where the cursor was kept', async (t) => {
  const payments = await newClient();
  // Both are in one page once no transaction of another test on this server can come before them.
  const untilShown = (count: number) =>
    eventually(`${count} events in the feed`, async () => {
      const found: string[] = [];
      for await (const { id } of payments.events({ untilNow: true })) found.push(id);
      return found.length === count ? true : undefined;
    });
  let kept: string | undefined;
  const cursor = {
    load: () => kept,
    save: (next: string) => {
      kept = next;
    },
  };
  const [first, second] = [await payments.create({ amount: 5 }), await payments.create({ amount: 6 })];
  const seen: string[] = [];
  await untilShown(2);
  const follow = async (count: number) => {
    for await (const { paymentId, type, body } of payments.events({ cursor, intervalMs: 20 })) {
      t.equal(type, body.event);
      seen.push(paymentId);
      if (seen.length === count) break;
    }
  };
  await follow(2);
  t.strictSame(seen, [first.id, second.id]);
  await follow(4);
  t.strictSame(seen.slice(2), [first.id, second.id], 'the page was not taken whole: it comes again');
  for await (const { paymentId } of payments.events({ cursor, untilNow: true })) seen.push(paymentId);
  for (const none of ['', null]) {
    const all: string[] = [];
    const lost = { load: () => none, save: () => {} };
    for await (const { paymentId } of payments.events({ cursor: lost, untilNow: true })) all.push(paymentId);
    t.strictSame(all, [first.id, second.id], 'a place that was lost: all from the first on');
  }
  const third = await payments.create({ amount: 7 });
  await follow(seen.length + 1);
  t.equal(seen.at(-1), third.id, 'and after it only what is new');
});

t.test('goes on over pages of the feed that are empty before the last one', async (t) => {
  const payments = await newClient();
  const first = await payments.create({ amount: 5 });
  const many = `insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, occurred_at)
    select gen_random_uuid(), payment_id, store_id, n, type, status, payload, actor, occurred_at
    from events, generate_series(2, 20000) n where payment_id = $1`;
  await query(system.env.DATABASE_URL!, many, [first.id]);
  const paid = await payments.create({ amount: 6 });
  await system.bank('/bank/pay', { pixCopiaECola: paid.qrCopyPaste });
  const found = await eventually('the event behind all others', async () => {
    const seen: string[] = [];
    const places: string[] = [];
    const cursor = { load: () => undefined, save: (next: string) => void places.push(next) };
    const feed = payments.events({ type: 'payment.status_changed', untilNow: true, cursor });
    for await (const { paymentId } of feed) seen.push(paymentId);
    return seen.length > 0 ? { seen, pages: places.length } : undefined;
  });
  t.strictSame(found.seen, [paid.id]);
  t.ok(found.pages > 1, 'its page was not the first');
});

t.test('an aborted signal ends the wait for more events', async (t) => {
  const payments = await newClient();
  const aborting = new AbortController();
  const waiting = (async () => {
    for await (const _ of payments.events({ signal: aborting.signal })) t.fail('nothing happened');
  })();
  aborting.abort(new Error('enough'));
  t.match(await thrown(waiting), { message: 'enough' });
});

t.test('refunds and cancels where the store allows it', async (t) => {
  const store = await system.createStore({ tokenMay: ['refund', 'cancel'] });
  const payments = createClient({ baseUrl: `${way.url}/`, token: store.token });
  const unpaid = await payments.create({ amount: 5 });
  t.equal((await payments.cancel(unpaid.id)).status, 'not_approved');
  t.match(await thrown(payments.cancel(unpaid.id)), { statusCode: 409, code: 'notCancellable' });
  const another = await payments.create({ amount: 5 });
  way.next('lose the response');
  t.equal((await payments.cancel(another.id)).status, 'not_approved', 'the lost try cancelled it');

  const { id, qrCopyPaste } = await payments.create({ amount: 10 });
  await system.bank('/bank/pay', { pixCopiaECola: qrCopyPaste });
  await payments.waitFor(id, { intervalMs: 20 });
  const part = await payments.refund(id, { amount: 4 }, { idempotencyKey: 'devolução-1' });
  t.match(part, { paymentId: id, amount: 4, reason: 'requested' });
  t.equal((await payments.refund(id, { amount: 4 }, { idempotencyKey: 'devolução-1' })).id, part.id);
  t.match(await thrown(payments.refund(id, { amount: 7 })), { statusCode: 409, code: 'refundTooHigh' });
  t.match(await payments.refunds(id), [{ id: part.id }]);

  const other = createClient({ baseUrl: way.url, token: (await system.createStore()).token });
  t.match(await thrown(other.refund(id)), { statusCode: 403, code: 'operationNotEnabled' });
});
