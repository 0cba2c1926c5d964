import { feedStart } from '@payments/database/events/feed';
import { startReceiver } from '@payments/testing/receiver';
import { query } from '@payments/testing/sessions';
import { eventually, startSystem } from '@payments/testing/system';
import t, { type Test } from 'tap';
import { writeCursor } from '../../../src/public/events/api.ts';
import { isError } from '../payments/expectations.ts';

/** The feed of events, and what each change of a store's reads tells (Contract: feed, more events). */
const system = await startSystem();
t.teardown(system.stop);
const { admin, bank } = system;
const faults = (named: Record<string, unknown> = {}) => bank('/bank/faults', named);

type Item = {
  id: string;
  type: string;
  occurredAt: string;
  paymentId: string;
  body: Record<string, unknown>;
};
type Store = { id: string; token: string };

const feed = (store: Store, query = '') => system.api(`/api-public/events${query}`, { token: store.token });
const read = async ({ token }: Store, id: string) =>
  (await system.api(`/api-public/payments/${id}`, { token })).body;
const create = async ({ token }: Store, fields: Record<string, unknown> = {}) =>
  (await system.api('/api-public/payments', { token, body: { amount: 10, ...fields } })).body;
const pay = (payment: { qrCopyPaste: string | null }, valor?: string) =>
  bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste, ...(valor && { valor }) });

/** Follows a feed until its events are these. @returns them */
async function untilTold(t: Test, store: Store, wanted: readonly string[]): Promise<Item[]> {
  const items = await eventually(`${wanted.length} events`, async () => {
    const { body } = await feed(store);
    return body.items.length >= wanted.length ? (body.items as Item[]) : undefined;
  });
  t.strictSame(items.map(nameOf), wanted);
  return items;
}

/** @returns what an event tells, in a word or two */
function nameOf({ type, body }: Item): string {
  const refund = body.refund as { status: string } | undefined;
  if (type === 'payment.updated') return `updated ${Object.keys(body.previous as object).join()}`;
  return refund ? `refund ${refund.status}` : String(body.status);
}

async function refunded(store: Store, amount: number, body: Record<string, unknown> = {}) {
  const payment = await create(store, { amount });
  await pay(payment);
  await system.waitForStatus(store, payment.id, 'approved');
  await admin(`/admin/payments/${payment.id}/refunds`, { body });
  return payment;
}

t.test(
  'a payment’s life, with and without a webhookUrl: the bodies are the webhooks’, to the byte',
  async (t) => {
    const store = await system.createStore({ feePercent: 1 });
    const receiver = await startReceiver();
    t.teardown(receiver.close);
    const payment = await create(store, { webhookUrl: receiver.url, observation: 'pedido – “7” 🎉' });
    await pay(payment);
    const sent = await receiver.waitForCount(2);
    await untilTold(t, store, ['pending', 'approved']);
    const { text } = await feed(store);
    for (const { headers, body } of sent)
      t.ok(text.includes(`"id":"${headers['webhook-id']}"`) && text.includes(`"body":${body}}`), body);
    const silent = await create(store);
    const items = await untilTold(t, store, ['pending', 'approved', 'pending']);
    t.strictSame(Object.keys(items[2]!), ['id', 'type', 'occurredAt', 'paymentId', 'body']);
    t.match(items[2], { type: 'payment.created', paymentId: silent.id, body: { event: 'payment.created' } });
  },
);

t.test('a part goes back: the refund is told first, then what it made of the payment', async (t) => {
  const store = await system.createStore({ feePercent: 10 });
  const { id } = await refunded(store, 10, { amount: 2.5 });
  const told = ['pending', 'approved', 'refund requested', 'refund refunded'];
  const items = await untilTold(t, store, [...told, 'updated amount,feeAmount,liquidValue']);
  const { refund, ...rest } = items[3]!.body;
  t.strictSame(rest, { event: 'refund.updated', previousStatus: 'requested' });
  t.match(refund, { paymentId: id, amount: 2.5, status: 'refunded', reason: 'requested' });
  const { previous, event, ...payment } = items[4]!.body;
  t.strictSame([event, previous], ['payment.updated', { amount: 10, feeAmount: 1, liquidValue: 9 }]);
  const { webhookUrl, ...shown } = await read(store, id);
  t.strictSame(payment, shown, 'what reads show');
});

t.test('all goes back: the status tells it', async (t) => {
  const store = await system.createStore();
  await refunded(store, 10);
  await untilTold(t, store, ['pending', 'approved', 'refund requested', 'refund refunded', 'not_approved']);
});

t.test('a refusal of the bank is told, and the new order as another refund of the same reason', async (t) => {
  const store = await system.createStore();
  await faults({ refuseRefunds: true });
  const { id } = await refunded(store, 10, { amount: 4 });
  const items = await untilTold(t, store, ['pending', 'approved', 'refund requested', 'refund failed']);
  await faults();
  const failed = items[3]!.body.refund as { id: string };
  await admin(`/admin/payments/${id}/refunds/${failed.id}/retry`, { body: {} });
  const again = await untilTold(t, store, [
    ...items.map(nameOf),
    'refund requested',
    'refund refunded',
    'updated amount',
  ]);
  const anew = again[4]!.body.refund as { id: string };
  t.not(anew.id, failed.id);
  t.match(anew, { reason: 'requested', amount: 4 });
  t.notOk('previousStatus' in again[4]!.body, 'it is new');
});

t.test('a decision is told before the refund that it orders', async (t) => {
  const store = await system.createStore();
  const payment = await create(store);
  await pay(payment, '7.50');
  await system.waitForStatus(store, payment.id, 'review');
  await admin(`/admin/payments/${payment.id}/status`, { body: { status: 'not_approved' } });
  const items = await untilTold(t, store, [
    'pending',
    'review',
    'not_approved',
    'refund requested',
    'refund refunded',
  ]);
  t.match(items[3]!.body.refund, { reason: 'rejected', amount: 7.5 });
});

t.test('a second Pix is told by its refund alone', async (t) => {
  const store = await system.createStore();
  const payment = await create(store);
  await pay(payment);
  await system.waitForStatus(store, payment.id, 'approved');
  await pay(payment);
  const items = await untilTold(t, store, ['pending', 'approved', 'refund requested', 'refund refunded']);
  t.match(items[2]!.body.refund, { reason: 'second_pix', amount: 10 });
});

t.test('a code that comes late is told; one that comes after a cancellation is not', async (t) => {
  const store = await system.createStore();
  await faults({ status: 503, only: ['putCob'] });
  const [late, cancelled] = [await create(store), await create(store)];
  await admin(`/admin/payments/${cancelled.id}/status`, { body: { status: 'not_approved' } });
  await faults();
  const told = ['pending', 'pending', 'not_approved', 'updated qrCodeUrl,qrCopyPaste'];
  const items = await untilTold(t, store, told);
  const { previous, qrCopyPaste } = items[3]!.body;
  t.strictSame(previous, { qrCodeUrl: null, qrCopyPaste: null });
  t.equal(qrCopyPaste, (await read(store, late.id)).qrCopyPaste);
});

t.test('pages: next leads through all events once, and waits for new ones', async (t) => {
  const store = await system.createStore();
  for (let count = 0; count < 5; count += 1) await create(store);
  const all = await untilTold(t, store, Array(5).fill('pending'));
  const seen: Item[] = [];
  let next = '';
  for (const wanted of [2, 2, 1, 0]) {
    const { body } = await feed(store, `?limit=2${next && `&after=${next}`}`);
    t.equal(body.items.length, wanted);
    seen.push(...body.items);
    next = body.next;
  }
  t.strictSame(seen, all);
  const last = await create(store);
  await untilTold(t, store, Array(6).fill('pending'));
  t.match((await feed(store, `?after=${next}`)).body.items, { length: 1, 0: { paymentId: last.id } });
  t.match((await feed(store, `?after=${next}&type=payment.status_changed`)).body.items, { length: 0 });
  t.same((await feed(await system.createStore())).body.items, []);
});

t.test('a type, and a moment to begin at', async (t) => {
  const store = await system.createStore();
  const payment = await create(store);
  await pay(payment);
  const [, approved] = await untilTold(t, store, ['pending', 'approved']);
  t.strictSame((await feed(store, '?type=payment.status_changed')).body.items, [approved]);
  const from = encodeURIComponent(approved!.occurredAt);
  t.strictSame((await feed(store, `?from=${from}`)).body.items, [approved]);
  const later = await feed(store, '?from=2999-01-01');
  t.same(later.body.items, []);
  t.same((await feed(store, `?after=${later.body.next}`)).body.items, [], 'next keeps the moment');
});

t.test('a page that passed over 20,000 events of other types may be empty: next has moved', async (t) => {
  const store = await system.createStore();
  const first = await create(store);
  const many = `insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, occurred_at)
    select gen_random_uuid(), payment_id, store_id, n, type, status, payload, actor, occurred_at
    from events, generate_series(2, 20000) n where payment_id = $1`;
  await query(system.env.DATABASE_URL!, many, [first.id]);
  const payment = await create(store);
  await pay(payment);
  await system.waitForStatus(store, payment.id, 'approved');
  const of = '?type=payment.status_changed';
  const passed = await eventually('a page that passed over all that it may', async () => {
    const { body } = await feed(store, of);
    const isMoved = body.next !== writeCursor(store.id, feedStart);
    return isMoved ? body : undefined;
  });
  t.same(passed.items, []);
  const found = await eventually('the event behind it', async () => {
    const { body } = await feed(store, `${of}&after=${passed.next}`);
    return body.items.length > 0 ? body : undefined;
  });
  t.match(found.items, { length: 1, 0: { paymentId: payment.id } });
  t.same((await feed(store, `${of}&after=${found.next}`)).body, { items: [], next: found.next });
});

t.test('wrong parameters', async (t) => {
  const [store, other] = [await system.createStore(), await system.createStore()];
  await create(other);
  const { next } = (await feed(other)).body;
  const mine = (await feed(store)).body.next as string;
  const since = (ms: number) => writeCursor(store.id, { ...feedStart, from: { getTime: () => ms } as Date });
  const cursors = [
    since(9e15),
    since(-8.64e15),
    next,
    '',
    'AAAA',
    `${mine}A`,
    mine.slice(0, -1),
    `B${mine.slice(1)}`,
    `${mine}&after=${mine}`,
  ];
  for (const cursor of cursors) {
    const answer = await feed(store, `?after=${cursor}`);
    isError(t, answer, 400, 'after must be the next of an earlier page');
    t.equal(answer.headers.get('error-code'), 'cursorInvalid', cursor);
  }
  const types = 'payment.created, payment.status_changed, payment.updated, refund.updated';
  const wrong = {
    'limit=0': 'limit must not be less than 1',
    'limit=201': 'limit must not be greater than 200',
    'type=all': `type must be one of the following values: ${types}`,
    'type=': `type must be one of the following values: ${types}`,
    'from=yesterday': 'from must be a valid ISO 8601 date string',
  };
  for (const [query, message] of Object.entries(wrong))
    isError(t, await feed(store, `?${query}`), 400, message);
  isError(t, await system.api('/api-public/events'), 401, 'Bearer token ausente.');
});

t.test(
  'a store that asks gets them by webhook, in order; one that does not gets the usual two',
  async (t) => {
    const wanted = [
      'payment.created',
      'payment.status_changed',
      'refund.updated',
      'refund.updated',
      'payment.updated',
    ];
    for (const events of [[], ['payment.updated', 'refund.updated'], ['payment.updated']]) {
      const store = await system.createStore({ events });
      const receiver = await startReceiver();
      t.teardown(receiver.close);
      const payment = await create(store, { webhookUrl: receiver.url });
      await pay(payment);
      await system.waitForStatus(store, payment.id, 'approved');
      await admin(`/admin/payments/${payment.id}/refunds`, { body: { amount: 1 } });
      const told = ['pending', 'approved', 'refund requested', 'refund refunded', 'updated amount'];
      const items = await untilTold(t, store, told);
      const expected = items.filter((_, index) => index < 2 || events.includes(wanted[index]!));
      const sent = await receiver.waitForCount(expected.length);
      t.strictSame(
        sent.map(({ body }) => JSON.parse(body)),
        expected.map(({ body }) => body),
        `${events}`,
      );
      const { deliveries } = (await admin(`/admin/payments/${payment.id}`)).body;
      t.equal(deliveries.length, expected.length);
    }
  },
);
