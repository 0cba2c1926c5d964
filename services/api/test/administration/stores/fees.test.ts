import { untilWaiting } from '@payments/testing/pause';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { fieldsOf } from '../panel-client.ts';
import { newPerson } from '../panel-people.ts';

/** The terms of a store, and its limits, hold for administrators' payments. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { admin } = system;
const { id } = await system.createStore({ maxAmount: 1_000_000 });
const change = (body: unknown) => admin(`/admin/stores/${id}`, { method: 'PATCH', body });
const tab = `/panel/stores/${id}/store`;
const path = `/panel/stores/${id}`;
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

t.test('the record shows a fee as its field does, with all of its decimals', async (t) => {
  const owner = await newPerson(system);
  for (const [feePercent, shown] of [
    [33.3333, '33,3333'],
    [2.5, '2,5'],
    [0.0001, '0,0001'],
  ] as const) {
    await change({ feePercent });
    t.match((await owner.get('/panel/changes')).text, `: ${shown} %`);
    t.equal(fieldsOf((await owner.get(tab)).text, path).feePercent, shown);
  }
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

const terms = async () => (await admin(`/admin/stores/${id}`)).body;

t.test('two people never make up a fee or bounds together that neither of them saw', async (t) => {
  const owner = await newPerson(system);
  await change({ feePercent: 2, feeFixed: null, maxAmount: 5_000, reviewAbove: null });
  const loaded = fieldsOf((await owner.get(tab)).text, path);
  const save = (changes: Record<string, string>) => owner.post(path, { ...loaded, ...changes }, tab);
  await change({ feeFixed: 1.5 });
  const refused = await save({ feePercent: '3', name: 'Outra' });
  t.equal(refused.status, 409);
  t.equal(refused.text.match(/Estes dados mudaram enquanto a página estava aberta\./g)?.length, 1);
  t.match(
    fieldsOf(refused.text, path),
    { feePercent: '2', feeFixed: '1,50' },
    'the page has the values of now',
  );
  const before = { name: 'Loja', feePercent: 2, feeFixed: 1.5 };
  t.match(await terms(), { ...before, maxAmount: 5_000, reviewAbove: null }, 'nothing is saved');

  t.equal((await save({ maxAmount: '4.000' })).status, 303);
  t.match(await terms(), { ...before, maxAmount: 4_000 }, 'the bounds do not go with the fee');
  t.equal((await save({ reviewAbove: '4.500' })).status, 409);
  t.match(await terms(), { maxAmount: 4_000, reviewAbove: null });

  const { shown: _, ...ofProgram } = loaded;
  const sent = { ...ofProgram, feePercent: '3', feeFixed: '', maxAmount: '6.000' };
  t.equal(
    (await owner.post(path, sent, tab)).status,
    303,
    'a form that does not say its values is taken whole',
  );
  t.match(await terms(), { feePercent: 3, feeFixed: null, maxAmount: 6_000 });
});

t.test('nor if both save at the same moment', async (t) => {
  const owner = await newPerson(system);
  await change({ feePercent: 2, feeFixed: null });
  const loaded = fieldsOf((await owner.get(tab)).text, path);
  const [changed, save] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const another = system.db.transaction().execute(async (trx) => {
    await trx.updateTable('stores').set({ feeFixed: 150 }).where('id', '=', id).execute();
    changed.resolve();
    await save.promise;
  });
  await changed.promise;
  const sent = owner.post(path, { ...loaded, feePercent: '3' }, tab);
  await untilWaiting(system.env.DATABASE_URL!, 1);
  save.resolve();
  await another;
  t.equal((await sent).status, 409);
  t.match(await terms(), { feePercent: 2, feeFixed: 1.5 });
});
