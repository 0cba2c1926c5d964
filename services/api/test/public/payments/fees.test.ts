import { startSystem } from '@payments/testing/system';
import t from 'tap';

/** Fees of a store: a percentage and a fixed part (Contract: fees). */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);

const terms: [
  fields: Record<string, unknown>,
  amount: number,
  feeAmount: number | null,
  liquid: number | null,
][] = [
  [{}, 100, null, null],
  [{ feePercent: 0 }, 100, 0, 100],
  [{ feePercent: 1.5, feeFixed: 0.4 }, 33.33, 0.9, 32.43],
  [{ feePercent: 33.3333 }, 8.2, 2.73, 5.47],
];
const stores = await Promise.all(terms.map(([fields]) => system.createStore(fields)));
for (const [index, [fields, amount, feeAmount, liquidValue]] of terms.entries()) {
  t.test(`${JSON.stringify(fields)} of ${amount}`, async (t) => {
    const token = stores[index]?.token ?? '';
    const { body } = await system.api('/api-public/payments', { token, body: { amount } });
    t.strictSame({ feeAmount: body.feeAmount, liquidValue: body.liquidValue }, { feeAmount, liquidValue });
    const read = await system.api(`/api-public/payments/${body.id}`, { token });
    t.strictSame(read.body.feeAmount, feeAmount);
  });
}

t.test('a change of terms holds for later payments only', async (t) => {
  const store = await system.createStore({ feePercent: 1 });
  const create = async () =>
    (await system.api('/api-public/payments', { token: store.token, body: { amount: 100 } })).body;
  const before = await create();
  const body = { feePercent: 2, feeFixed: 1 };
  await system.admin(`/admin/stores/${store.id}`, { method: 'PATCH', body });
  const after = await create();
  t.equal(before.feeAmount, 1);
  t.equal(after.feeAmount, 3);
  const read = await system.api(`/api-public/payments/${before.id}`, { token: store.token });
  t.equal(read.body.feeAmount, 1);
  await system.admin(`/admin/stores/${store.id}`, {
    method: 'PATCH',
    body: { feePercent: null, feeFixed: null },
  });
  t.equal((await create()).feeAmount, null);
});

t.test('maxAmount is per store, and can only be raised', async (t) => {
  const store = await system.createStore();
  const create = (amount: number) =>
    system.api('/api-public/payments', { token: store.token, body: { amount } });
  t.equal((await create(3000)).status, 200);
  const lowered = { method: 'PATCH', body: { maxAmount: 2999.99 } };
  t.match(await system.admin(`/admin/stores/${store.id}`, lowered), {
    status: 400,
    body: { message: 'maxAmount must not be less than 3000' },
  });
  t.equal((await create(3000)).status, 200, 'nothing was changed');
  await system.admin(`/admin/stores/${store.id}`, { method: 'PATCH', body: { maxAmount: 12345.67 } });
  t.equal((await create(12345.67)).status, 200);
  t.equal(
    (await create(12345.68)).body.message,
    'Valor máximo permitido para geração de pagamentos é R$ 12345,67.',
  );
  await system.admin(`/admin/stores/${store.id}`, { method: 'PATCH', body: { maxAmount: null } });
  t.equal(
    (await create(3000.01)).body.message,
    'Valor máximo permitido para geração de pagamentos é R$ 3000,00.',
  );
});
