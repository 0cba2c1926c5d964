import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError, isoDateTime, readFields, uuidV7 } from './expectations.ts';

/** Reading a payment by its id (Contract: reading). */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const [store, neighbour] = [
  await system.createStore({ feePercent: 2, feeFixed: 0.5 }),
  await system.createStore(),
];
const full = {
  amount: 100,
  email: 'ana@example.com',
  observation: 'pedido 7',
  webhookUrl: 'https://loja.example/pix',
};
const read = (id: string, token?: string) =>
  system.api(`/api-public/payments/${id}`, token === undefined ? {} : { token });
const create = (body: unknown, token: string) => system.api('/api-public/payments', { token, body });

const { body: created } = await create(full, store.token);
const { body: bare } = await create({ amount: 5 }, neighbour.token);
const { body: internal } = await system.admin(`/admin/stores/${store.id}/payments`, { body: full });
const answer = await read(created.id, store.token);
const { body: bareRead } = await read(bare.id, neighbour.token);
const { body: internalRead } = await read(internal.id, store.token);

t.test('fields on reads', async (t) => {
  t.equal(answer.status, 200);
  t.strictSame(Object.keys(answer.body).sort(), readFields, 'exactly these');
  t.strictSame(Object.keys(bareRead).sort(), readFields, 'and the same where little was given');
  const { body } = answer;
  t.equal(internalRead.isPublic, false, 'not made through the public interface');
  t.match(body.id, uuidV7);
  t.match(body.createdAt, isoDateTime);
});

t.test('GET /api-public/payments/{id}', async (t) => {
  await t.test('the payment with webhookUrl, else as it was created', async (t) => {
    t.strictSame(answer.body, { ...created, webhookUrl: full.webhookUrl });
  });
  await t.test('errors: 404 when it does not exist', async (t) => {
    const missing = await read('0190a5b0-0000-7000-8000-000000000000', store.token);
    isError(t, missing, 404, 'Pagamento não encontrado.');
  });
  await t.test('errors: 404 when it is another store’s', async (t) => {
    isError(t, await read(bare.id, store.token), 404, 'Pagamento não encontrado.');
  });
});

t.test('a client that can’t receive webhooks polls: the read shows the new status', async (t) => {
  await system.bank('/bank/pay', { pixCopiaECola: created.qrCopyPaste });
  const approved = await system.waitForStatus(store, created.id, 'approved');
  t.strictSame(approved, { ...answer.body, status: 'approved' });
});
