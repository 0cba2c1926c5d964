import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from './expectations.ts';

/** Cancellation by a store's token (Contract: cancellation by a token). */
const system = await startSystem();
t.teardown(system.stop);
const { admin } = system;
const store = await system.createStore({ name: 'Padaria', tokenMay: ['cancel'] });
const plain = await system.createStore({ tokenMay: ['refund'] });
const neighbour = await system.createStore({ tokenMay: ['cancel'] });
const path = '/api-public/payments';
const create = async (owner = store, fields: object = {}) =>
  (await system.api(path, { token: owner.token, body: { amount: 10, ...fields } })).body;
const cancel = (id: string, token = store.token, request: object = {}) =>
  system.api(`${path}/${id}/cancel`, { token, method: 'POST', ...request });
const read = (id: string, token = store.token) => system.api(`${path}/${id}`, { token });
const detail = async (id: string) => (await admin(`/admin/payments/${id}`)).body;
const notCancellable = 'Pagamento não pode ser cancelado.';
const nobody = '0190a5b0-0000-7000-8000-000000000000';

t.test('a pending payment is not approved at once, as reads show it; the bank follows', async (t) => {
  const payment = await create(store, { reference: 'pedido 7', webhookUrl: 'https://loja.example/pix' });
  const answer = await cancel(payment.id, store.token, { headers: { 'x-request-id': 'cancela-7' } });
  t.equal(answer.status, 200);
  t.match(answer.body, { id: payment.id, status: 'not_approved', amount: 10, reference: 'pedido 7' });
  t.equal(answer.text, (await read(payment.id)).text);
  const [token] = (await admin(`/admin/stores/${store.id}/tokens`)).body.items;
  const { events, changes } = await detail(payment.id);
  t.match(events, [{ type: 'payment.created' }, { previousStatus: 'pending', actor: 'store' }]);
  t.match(changes, [
    {
      action: 'payment.status_changed',
      author: 'token da loja Padaria',
      authorId: token.id,
      via: 'api',
      requestId: 'cancela-7',
      to: { status: 'not_approved' },
    },
  ]);
  await eventually('the bank to remove the charge', async () => {
    const { body } = await system.bank(`/bank/charges/${payment.id.replaceAll('-', '')}`);
    return body.status === 'REMOVIDA_PELO_USUARIO_RECEBEDOR' || undefined;
  });
});

t.test('only a pending payment: a second time, and once it is paid, 409', async (t) => {
  const [cancelled, paid, other] = [await create(), await create(), await create()];
  t.equal((await cancel(cancelled.id)).status, 200);
  await system.bank('/bank/pay', { pixCopiaECola: paid.qrCopyPaste });
  await system.waitForStatus(store, paid.id, 'approved');
  await system.bank('/bank/pay', { pixCopiaECola: other.qrCopyPaste, valor: '7.50' });
  await system.waitForStatus(store, other.id, 'review');
  for (const [id, status] of [
    [cancelled.id, 'not_approved'],
    [paid.id, 'approved'],
    [other.id, 'review'],
  ] as const) {
    const { changes } = await detail(id);
    const answer = await cancel(id);
    isError(t, answer, 409, notCancellable);
    t.equal(answer.headers.get('error-code'), 'notCancellable');
    t.match((await read(id)).body, { status });
    t.strictSame((await detail(id)).changes, changes);
  }
});

t.test('a Pix for the cancelled code goes to review, as after an administrator’s cancellation', async (t) => {
  const payment = await create();
  await system.bank('/bank/faults', { status: 503, only: ['patchCob'] });
  t.equal((await cancel(payment.id)).status, 200);
  await system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste });
  await system.waitForStatus(store, payment.id, 'review');
  t.match((await detail(payment.id)).events.at(-1), { reason: 'cancelled' });
  await system.bank('/bank/faults', {});
});

t.test('cancellations at once: one is made', async (t) => {
  const { id } = await create();
  const answers = await Promise.all(Array.from({ length: 8 }, () => cancel(id)));
  t.equal(answers.filter(({ status }) => status === 200).length, 1);
  t.equal((await detail(id)).events.length, 2);
});

t.test('the permission comes first, then existence', async (t) => {
  const { id } = await create(plain);
  for (const place of [id, nobody, 'x'])
    isError(t, await cancel(place, plain.token), 403, 'Operação não habilitada para a loja.');
  isError(t, await cancel(id, 'pp_no'), 401, 'Token inválido ou expirado.');
  for (const place of [id, nobody, 'x', '%00'])
    isError(t, await cancel(place, neighbour.token), 404, 'Pagamento não encontrado.');
  t.match((await read(id, plain.token)).body, { status: 'pending' });
  const mine = await create(neighbour);
  t.equal(
    (await cancel(mine.id, neighbour.token, { body: { any: 'thing' } })).status,
    200,
    'a body is ignored',
  );
});
