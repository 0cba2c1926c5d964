import { recordChargeProblem } from '@payments/database/charges/problems';
import { txidOf } from '@payments/domain/identifiers';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { createdFields, isError, readFields, statuses } from '../../public/payments/expectations.ts';

/** Payments on the admin port. */
const system = await startSystem();
t.teardown(system.stop);
const receiver = await startReceiver();
t.teardown(receiver.close);
const { admin } = system;
const store = await system.createStore();
const create = (body: unknown) => admin(`/admin/stores/${store.id}/payments`, { body });
const move = (id: string, body: unknown) => admin(`/admin/payments/${id}/status`, { body });

t.test('creation for a store: as the public one, with isPublic false', async (t) => {
  const { status, body } = await create({ amount: 10, email: 'ana@example.com', extra: 1 });
  t.equal(status, 200);
  t.strictSame(Object.keys(body).sort(), createdFields);
  t.match(body, { isPublic: false, status: 'pending', storeId: store.id, email: 'ana@example.com' });
  const read = await system.api(`/api-public/payments/${body.id}`, { token: store.token });
  t.equal(read.body.isPublic, false, 'the store sees it');
  isError(
    t,
    await create({ amount: 1 }),
    400,
    'Valor mínimo permitido para geração de pagamentos é R$ 5,00.',
  );
  isError(t, await create(''), 400, 'amount must be a number conforming to the specified constraints');
  const off = await system.createStore();
  await admin(`/admin/stores/${off.id}`, { method: 'PATCH', body: { active: false } });
  const refused = await admin(`/admin/stores/${off.id}/payments`, { body: { amount: 10 } });
  isError(t, refused, 403, 'Loja inativa.');
});

t.test('the detail tells everything of a payment', async (t) => {
  const { body: payment } = await create({ amount: 10, webhookUrl: receiver.url });
  await system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste, valor: '9.99' });
  await system.waitForStatus(store, payment.id, 'review');
  await move(payment.id, { status: 'not_approved', reason: 'valor errado' });
  const detail = await eventually('refund and deliveries', async () => {
    const { body } = await admin(`/admin/payments/${payment.id}`);
    const delivered = body.deliveries.filter(({ state }: { state: string }) => state === 'delivered');
    return body.refunds[0]?.state === 'refunded' && delivered.length === 3 ? body : undefined;
  });
  const lists = ['events', 'updates', 'pix', 'refunds', 'changes', 'problems', 'deliveries'];
  const extra = ['bank', 'charged', 'txid', 'chargeState', 'expiresAt', 'reviewSince', ...lists];
  t.strictSame(Object.keys(detail).sort(), [...readFields, ...extra].sort());
  t.match(
    detail,
    { amount: 10, charged: 10, problems: [] },
    'what is given back whole is worth what was charged',
  );
  t.equal(detail.txid, payment.id.replaceAll('-', ''));
  t.match(detail.events, [
    { sequence: 1, type: 'payment.created', status: 'pending', previousStatus: null, actor: 'administrator' },
    { sequence: 2, status: 'review', previousStatus: 'pending', actor: 'psp', reason: 'amount_differs' },
    {
      sequence: 3,
      type: 'payment.status_changed',
      status: 'not_approved',
      previousStatus: 'review',
      actor: 'administrator',
      reason: 'valor errado',
    },
  ]);
  t.match(detail.pix, [{ endToEndId: /^E\d{8}/, amount: 9.99, effect: 'review' }]);
  t.match(detail.refunds, [{ amount: 9.99, state: 'refunded', endToEndId: detail.pix[0]!.endToEndId }]);
  t.strictSame(
    detail.deliveries.map(({ event }: { event: string }) => event),
    ['payment.created', 'payment.status_changed', 'payment.status_changed'],
  );
  for (const { attempts, url } of detail.deliveries) {
    t.equal(url, receiver.url);
    t.match(attempts, [{ number: 1, statusCode: 200, error: null }]);
  }
});

t.test('the bank’s words about a charge are for the platform’s roles alone', async (t) => {
  const { body: payment } = await create({ amount: 10 });
  const words = 'conta 1234-5 bloqueada';
  await recordChargeProblem(system.db, {
    bank: 'default',
    txid: txidOf(payment.id),
    work: 'cancel',
    paymentId: payment.id,
    error: { code: 'refused', detail: words },
    now: new Date(),
  });
  for (const role of ['viewer', 'store_admin', 'store_viewer']) {
    const storeId = role === 'viewer' ? undefined : store.id;
    const { key } = (await admin('/admin/keys', { body: { name: role, role, storeId } })).body;
    const { text, body } = await admin(`/admin/payments/${payment.id}`, { token: key });
    t.match(body.problems, [{ work: 'cancel', tries: 1 }], role);
    t.equal(text.includes(words), role === 'viewer', role);
    t.equal('error' in body.problems[0]!, role === 'viewer', role);
  }
});

t.test('a payment that does not exist', async (t) => {
  for (const id of ['0190a5b0-0000-7000-8000-000000000000', 'x', '%00', `${'9'.repeat(4_000)}`]) {
    isError(t, await admin(`/admin/payments/${id}`), 404, 'Pagamento não encontrado.');
    isError(t, await move(id, { status: 'paid' }), 404, 'Pagamento não encontrado.');
  }
});

const oneOf = `status must be one of the following values: ${statuses.join(', ')}`;
const refused: [body: unknown, message: string][] = [
  ['', 'body must be an object'],
  ['[]', 'body must be an object'],
  [{}, oneOf],
  [{ status: null }, oneOf],
  [{ status: 7 }, oneOf],
  [{ status: 'cancelled' }, oneOf],
  [{ status: 'PAID' }, oneOf],
  [{ status: '__proto__' }, oneOf],
  [{ status: 'not_approved', reason: 7 }, 'reason must be a string'],
  [{ status: 'not_approved', reason: 'a\0b' }, 'reason must not contain null characters'],
  [
    { status: 'not_approved', reason: 'x'.repeat(2_001) },
    'reason must be shorter than or equal to 2000 characters',
  ],
];
t.test('a bad change is a 400, whether the payment exists or not', async (t) => {
  const { body: payment } = await create({ amount: 10 });
  for (const [body, message] of refused) {
    isError(t, await move(payment.id, body), 400, message);
    isError(t, await move('x', body), 400, message);
  }
  const read = await system.api(`/api-public/payments/${payment.id}`, { token: store.token });
  t.equal(read.body.status, 'pending');
});

t.test('a change answers with the payment as reads show it', async (t) => {
  const { body: payment } = await create({ amount: 10 });
  const { status, body } = await move(payment.id, { status: 'not_approved', reason: null });
  t.equal(status, 200);
  t.strictSame(body, { ...payment, status: 'not_approved', webhookUrl: null });
});
