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
  const rows: [name: string, found: unknown, wanted: unknown][] = [
    ['id', body.id, created.id],
    ['status', body.status, 'pending'],
    ['amount', body.amount, 100],
    ['feeAmount', body.feeAmount, 2.5],
    ['feeAmount: null when there is none', bareRead.feeAmount, null],
    ['liquidValue', body.liquidValue, 97.5],
    ['liquidValue: null when there is none', bareRead.liquidValue, null],
    ['storeId', body.storeId, store.id],
    ['createdAt', body.createdAt, created.createdAt],
    ['observation', body.observation, 'pedido 7'],
    ['observation: null when there is none', bareRead.observation, null],
    ['email: returned whenever one was supplied', body.email, 'ana@example.com'],
    ['email: null when there is none', bareRead.email, null],
    ['qrCodeUrl', body.qrCodeUrl, created.qrCodeUrl],
    ['qrCopyPaste', body.qrCopyPaste, created.qrCopyPaste],
    ['isPublic: true through the public interface', body.isPublic, true],
    ['isPublic: false otherwise', internalRead.isPublic, false],
    ['webhookUrl: present on reads', body.webhookUrl, 'https://loja.example/pix'],
    ['webhookUrl: null when there is none', bareRead.webhookUrl, null],
  ];
  for (const [name, found, wanted] of rows) {
    await t.test(name, async (t) => t.strictSame(found, wanted));
  }
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
  await t.test('errors: 401', async (t) => {
    isError(t, await read(created.id), 401, 'Bearer token ausente.');
    isError(t, await read(created.id, 'pp_wrong'), 401, 'Token inválido ou expirado.');
  });
  await t.test('errors: 403', async (t) => {
    const other = await system.createStore();
    const { body } = await create({ amount: 5 }, other.token);
    await system.admin(`/admin/stores/${other.id}`, { method: 'PATCH', body: { active: false } });
    isError(t, await read(body.id, other.token), 403, 'Loja inativa.');
  });
});

t.test('404 Pagamento não encontrado.', async (t) => {
  const ids: [name: string, id: string][] = [
    ['the id does not exist', '0190a5b0-1111-7000-8000-000000000000'],
    ['the id belongs to another store', bare.id],
  ];
  for (const [name, id] of ids) {
    await t.test(`404: ${name}`, async (t) => {
      isError(t, await read(id, store.token), 404, 'Pagamento não encontrado.');
    });
  }
});

t.test('a client that can’t receive webhooks polls: the read shows the new status', async (t) => {
  await system.bank('/bank/pay', { pixCopiaECola: created.qrCopyPaste });
  const approved = await system.waitForStatus(store, created.id, 'approved');
  t.strictSame(approved, { ...answer.body, status: 'approved' });
});
