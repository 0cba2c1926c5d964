import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';

/** Webhooks (Contract: webhook body). */
const system = await startSystem({ env: { WEBHOOK_RETRY_SECONDS: '0.2,0.2,60' } });
t.teardown(system.stop);
const store = await system.createStore({ feePercent: 1, feeFixed: 0.25 });

const create = async (fields: Record<string, unknown>) =>
  (await system.api('/api-public/payments', { token: store.token, body: { amount: 80.4, ...fields } })).body;

async function receive(t: { teardown(end: () => Promise<void>): void }) {
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  return receiver;
}

t.test('the request: a POST of JSON', async (t) => {
  const receiver = await receive(t);
  await create({ webhookUrl: receiver.url });
  const [sent] = await receiver.waitForCount(1);
  t.equal(sent?.method, 'POST');
  t.equal(sent?.path, '/webhook');
  t.match(sent?.headers['content-type'], /^application\/json/);
});

t.test('an administrator’s payment is announced with isPublic false', async (t) => {
  const receiver = await receive(t);
  const body = { amount: 9, webhookUrl: receiver.url };
  const { body: payment } = await system.admin(`/admin/stores/${store.id}/payments`, { body });
  const [sent] = await receiver.waitForCount(1);
  t.equal(payment.isPublic, false);
  t.strictSame(JSON.parse(sent?.body ?? ''), { event: 'payment.created', ...payment });
});

t.test('only a payment created with webhookUrl has webhooks', async (t) => {
  const payment = await create({});
  await system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste });
  await system.waitForStatus(store, payment.id, 'approved');
  const detail = await eventually('both events to be published', async () => {
    const { body } = await system.admin(`/admin/payments/${payment.id}`);
    return body.events.every((event: { published: boolean }) => event.published) ? body : undefined;
  });
  t.equal(detail.events.length, 2);
  t.strictSame(detail.deliveries, []);
});

t.test('a failed delivery is no API error; it is only logged', async (t) => {
  const receiver = await startReceiver({ answer: () => ({ status: 500, body: 'down' }) });
  t.teardown(receiver.close);
  const answer = await system.api('/api-public/payments', {
    token: store.token,
    body: { amount: 20, webhookUrl: receiver.url },
  });
  t.equal(answer.status, 200);
  await receiver.waitForCount(2);
  const read = await system.api(`/api-public/payments/${answer.body.id}`, { token: store.token });
  t.strictSame(read.body, { ...answer.body, webhookUrl: receiver.url }, 'the payment is as it was');
  const { body } = await system.admin(`/admin/deliveries?paymentId=${answer.body.id}`);
  t.match(body.items, [{ event: 'payment.created', state: 'pending' }]);
  const ids = new Set(receiver.received.map(({ headers }) => headers['webhook-id']));
  t.equal(ids.size, 1, 'a repetition carries the same webhook-id');
});

t.test('nor is an unreachable PSP', async (t) => {
  await system.bank('/bank/faults', { status: 503, only: ['putCob'] });
  t.teardown(() => system.bank('/bank/faults', {}));
  const payment = await create({});
  t.match(payment, { status: 'pending', qrCodeUrl: null, qrCopyPaste: null });
});
