import { openApiDocument } from '@payments/testing/openapi/document';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import t, { type Test } from 'tap';

/** The documented examples equal real responses and webhooks, except for ids, times, codes and addresses. */
const document = openApiDocument('public');
const system = await startSystem();
t.teardown(system.stop);
const store = await system.createStore({
  feePercent: 1,
  tokenMay: ['refund', 'cancel'],
  events: ['payment.updated', 'refund.updated'],
});
const { token } = store;
const path = '/api-public/payments';

type Json = unknown;
type Examples = Record<string, { value: Json }>;

for (const listener of ['public', 'admin'] as const) {
  t.test(`${listener}: every example respects its schema`, async (t) => {
    const { raw, failures } = openApiDocument(listener);
    const examples = [...examplesIn(raw, '')];
    t.ok(examples.length > 10);
    for (const [pointer, value] of examples) t.strictSame(failures(pointer, value), [], pointer);
  });
}

for (const listener of ['public', 'admin'] as const) {
  t.test(`${listener}: the fees of every example add up, also before a change`, async (t) => {
    const { raw } = openApiDocument(listener);
    const paid = [...examplesIn(raw, '')].flatMap(([pointer, value]) =>
      [...nodesOf(value)]
        .filter(hasFees)
        .flatMap((one) => [
          { pointer, one },
          ...(one.previous ? [{ pointer, one: { ...one, ...one.previous } }] : []),
        ]),
    );
    t.ok(paid.length > 5);
    for (const { pointer, one } of paid)
      t.equal(cents(one.feeAmount) + cents(one.liquidValue), cents(one.amount), pointer);
  });
}

type WithFees = { amount: number; feeAmount: number; liquidValue: number; previous?: Partial<WithFees> };
const hasFees = (node: object): node is WithFees =>
  'amount' in node && 'feeAmount' in node && typeof node.feeAmount === 'number';
const cents = (reais: number) => Math.round(reais * 100);

function* nodesOf(node: Json): Generator<object> {
  if (typeof node !== 'object' || node === null) return;
  yield node;
  for (const value of Object.values(node)) yield* nodesOf(value);
}

/** Every example in a document, with the place of its schema. */
function* examplesIn(node: Json, pointer: string): Generator<[pointer: string, value: Json]> {
  if (typeof node !== 'object' || node === null) return;
  const { schema, example, examples } = node as { schema?: Json; example?: Json; examples?: Json };
  if (schema !== undefined && example !== undefined) yield [`${pointer}/schema`, example];
  if (Array.isArray(examples)) for (const value of examples) yield [pointer, value];
  else if (schema !== undefined) {
    for (const { value } of Object.values((examples ?? {}) as Examples)) yield [`${pointer}/schema`, value];
  }
  for (const [name, child] of Object.entries(node)) {
    const step = name.replaceAll('~', '~0').replaceAll('/', '~1');
    if (!['example', 'examples'].includes(name)) yield* examplesIn(child, `${pointer}/${step}`);
  }
}

function examplesAt(pointer: string): Examples {
  const steps = pointer.split(' ');
  const media = steps.reduce<Json>((node, step) => (node as Record<string, Json>)[step], document.raw);
  return (media as { examples: Examples }).examples;
}

const requests = examplesAt(`paths ${path} post requestBody content application/json`);
const created = examplesAt(`paths ${path} post responses 200 content application/json`);
const read = examplesAt(`paths ${path}/{id} get responses 200 content application/json`);
const cancelled = examplesAt(`paths ${path}/{id}/cancel post responses 200 content application/json`);
const refunds = `paths ${path}/{id}/refunds`;
const ordered = examplesAt(`${refunds} post responses 200 content application/json`);
const refunded = examplesAt(`${refunds} get responses 200 content application/json`);
const listed = examplesAt(`paths ${path} get responses 200 content application/json`);

const ownToEach = [
  ...['id', 'storeId', 'createdAt', 'qrCodeUrl', 'qrCopyPaste', 'endToEndId', 'paidAt'],
  ...['paymentId', 'updatedAt'],
];

/** Replaces the values that differ between responses, but keeps null. */
function isAsDocumented(t: Test, found: Json, documented: Json) {
  const anonymous = (json: Json) =>
    JSON.stringify(json, (key, value) => (ownToEach.includes(key) && value !== null ? '…' : value), 1);
  t.equal(anonymous(found), anonymous(documented));
}

const create = (body: Json) => system.api(path, { token, body });

t.test('creation, reads and lists', async (t) => {
  const minimal = await create(requests.minimal?.value);
  const complete = await create(requests.complete?.value);
  isAsDocumented(t, minimal.body, created.minimal?.value);
  isAsDocumented(t, complete.body, created.complete?.value);

  await system.bank('/bank/pay', { pixCopiaECola: complete.body.qrCopyPaste });
  const approved = await system.waitForStatus(store, complete.body.id, 'approved');
  isAsDocumented(t, approved, read.approved?.value);
  const withPix = await system.api(`${path}/${complete.body.id}?include=pix`, { token });
  isAsDocumented(t, withPix.body, read.withPix?.value);
  const pending = await system.api(`${path}/${minimal.body.id}`, { token });
  isAsDocumented(t, pending.body, read.pending?.value);
  isAsDocumented(t, (await system.api(path, { token })).body, listed.firstPage?.value);
  const none = await system.api(`${path}?status=rejected`, { token });
  isAsDocumented(t, none.body, listed.none?.value);
});

t.test('refunds and a cancellation', async (t) => {
  const { body: sold } = await create({ amount: 150 });
  const paid = await system.bank('/bank/pay', { pixCopiaECola: sold.qrCopyPaste });
  await system.waitForStatus(store, sold.id, 'approved');
  const place = `${path}/${sold.id}/refunds`;
  const list = async () => (await system.api(place, { token })).body;
  isAsDocumented(t, await list(), refunded.none?.value);
  const order = await system.api(place, { token, body: { amount: 50 } });
  isAsDocumented(t, order.body, ordered.partial?.value);
  await system.bank('/bank/refunds', { endToEndId: paid.body.endToEndId, valor: '20.00' });
  const both = await eventually('both to be made', async () => {
    const { items } = await list();
    const isMade = items.length === 2 && items.every((one: { status: string }) => one.status === 'refunded');
    return isMade ? { items } : undefined;
  });
  isAsDocumented(t, both, refunded.refunds?.value);
  const { body: unpaid } = await create(requests.minimal?.value);
  const end = await system.api(`${path}/${unpaid.id}/cancel`, { token, method: 'POST' });
  isAsDocumented(t, end.body, cancelled.cancelled?.value);
});

t.test('creation while the bank is away', async (t) => {
  await system.bank('/bank/faults', { status: 503, only: ['putCob'] });
  isAsDocumented(t, (await create(requests.minimal?.value)).body, created.withoutCode?.value);
  await system.bank('/bank/faults', {});
});

t.test('webhooks', async (t) => {
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const bodies: Examples = Object.assign(
    {},
    ...Object.keys(document.raw.webhooks ?? {}).map((event) =>
      examplesAt(`webhooks ${event} post requestBody content application/json`),
    ),
  );
  /** @returns the body of a payment's first event of this kind and status */
  const sent = async (paymentId: string, event: string, status: string): Promise<Json> => {
    const { body } = await receiver.waitFor(({ body }) => {
      const { refund, ...told } = JSON.parse(body);
      const { id, status: current } = refund ? { ...refund, id: refund.paymentId } : told;
      return told.event === event && id === paymentId && current === status;
    });
    return JSON.parse(body);
  };
  const pay = async (status: 'approved' | 'review', valor?: string) => {
    const given = { webhookUrl: receiver.url, reference: status };
    const request = { ...(requests.complete?.value as object), ...given };
    const { body: payment } = await create(request);
    isAsDocumented(t, await sent(payment.id, 'payment.created', 'pending'), bodies.created?.value);
    await system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste, ...(valor ? { valor } : {}) });
    isAsDocumented(t, await sent(payment.id, 'payment.status_changed', status), bodies[status]?.value);
    return payment;
  };

  await pay('review', '149.00');
  const { id, amount } = await pay('approved');
  await system.api(`${path}/${id}/refunds`, { token, body: { amount: amount / 2 } });
  isAsDocumented(t, await sent(id, 'refund.updated', 'refunded'), bodies.refunded?.value);
  isAsDocumented(t, await sent(id, 'payment.updated', 'approved'), bodies.updated?.value);
});
