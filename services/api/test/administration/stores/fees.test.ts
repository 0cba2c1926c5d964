import { startSystem } from '@payments/testing/system';
import t from 'tap';

/** The terms of a store, and its limits, hold for administrators' payments. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { admin } = system;
const { id } = await system.createStore({ maxAmount: 1_000_000 });
const change = (body: unknown) => admin(`/admin/stores/${id}`, { method: 'PATCH', body });
const create = (amount: number) => admin(`/admin/stores/${id}/payments`, { body: { amount } });

t.test('a percentage has at most four decimals, an amount two: exactly', async (t) => {
  for (const feePercent of [1.00001, 1.0000000001, 1e-7, 33.33333, 0.00005])
    t.match(await change({ feePercent }), {
      status: 400,
      body: { message: 'feePercent must have at most four decimals' },
    });
  for (const feePercent of [0, 0.0001, 33.3333, 99.9999, 100])
    t.equal((await change({ feePercent })).body.feePercent, feePercent);
  for (const feeFixed of [0.001, 1.005, 1e-7])
    t.match(await change({ feeFixed }), {
      status: 400,
      body: { message: 'feeFixed must have at most two decimals' },
    });
  await change({ feePercent: 33.3333, feeFixed: 0.4 });
  t.match((await create(8.2)).body, { isPublic: false, feeAmount: 3.13, liquidValue: 5.07 });
});

t.test('a raised maximum and reviewAbove hold for administrators too', async (t) => {
  await change({ feePercent: null, feeFixed: null, maxAmount: 20_000, reviewAbove: 15_000 });
  t.equal((await create(20_000)).status, 200);
  t.match(await create(20_000.01), {
    status: 400,
    body: { message: 'Valor máximo permitido para geração de pagamentos é R$ 20000,00.' },
  });
  const { body } = await create(15_000);
  await system.bank('/bank/pay', { pixCopiaECola: body.qrCopyPaste });
  const { token } = (await admin(`/admin/stores/${id}/tokens`, { body: {} })).body;
  t.equal((await system.waitForStatus({ id, token }, body.id, 'review')).isPublic, false);
});
