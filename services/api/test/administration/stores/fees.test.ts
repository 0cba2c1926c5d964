import { startSystem } from '@payments/testing/system';
import fc from 'fast-check';
import t from 'tap';

/** Fees of administrators' payments are exact for any terms and amount, within the store's limits. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { admin } = system;
const { id } = await system.createStore({ maxAmount: 1_000_000 });
const change = (body: unknown) => admin(`/admin/stores/${id}`, { method: 'PATCH', body });
const create = (amount: number) => admin(`/admin/stores/${id}/payments`, { body: { amount } });
const settings = { numRuns: 60, interruptAfterTimeLimit: 8_000, markInterruptAsFailure: false };
/** The number as JSON text: a number that is not whole centavos would have more decimals. */
const centavos = (reais: number) => {
  const [whole = '', part = ''] = String(reais).split('.');
  if (!/^\d+$/.test(whole) || !/^\d{0,2}$/.test(part)) throw new Error(`${reais} is no amount`);
  return BigInt(whole) * 100n + BigInt(part.padEnd(2, '0'));
};
const reais = (least: number) => fc.integer({ min: least, max: 100_000_000 }).map((value) => value / 100);

t.test('feeAmount and liquidValue make up the amount to the centavo, whatever the terms', async () => {
  const percent = fc.option(fc.integer({ min: 0, max: 1_000_000 }).map((ppm) => ppm / 10_000));
  const fixed = fc.option(reais(0));
  await fc.assert(
    fc.asyncProperty(percent, fixed, reais(500), async (feePercent, feeFixed, amount) => {
      const { body: store } = await change({ feePercent, feeFixed });
      if (store.feePercent !== feePercent || store.feeFixed !== feeFixed) return false;
      const { body: payment } = await create(amount);
      if (payment.amount !== amount || payment.isPublic !== false) return false;
      if (feePercent === null && feeFixed === null)
        return payment.feeAmount === null && payment.liquidValue === null;
      const [fee, liquid] = [centavos(payment.feeAmount), centavos(payment.liquidValue)];
      const ppm = BigInt(Math.round((feePercent ?? 0) * 10_000));
      const exact = (centavos(amount) * ppm * 2n + 1_000_000n) / 2_000_000n + centavos(feeFixed ?? 0);
      const expected = exact < centavos(amount) ? exact : centavos(amount);
      return fee === expected && fee + liquid === centavos(amount);
    }),
    settings,
  );
});

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
