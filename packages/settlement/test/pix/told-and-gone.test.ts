import { listRefunds } from '@payments/database/refunds/refunds';
import type { ReceivedPix } from '@payments/pix/client';
import { PixUnavailable } from '@payments/pix/errors';
import t from 'tap';
import { reconcile } from '../../src/days/reconcile.ts';
import { learnFromBank, settleTold } from '../../src/pix/settle-told.ts';
import { followBankRefund } from '../../src/refunds/follow-bank-refund.ts';
import { openTold } from './as-told.ts';

// The bank tells of a return, and then shows the Pix without it.
const { bench, where, callbackOf, listOf, tryAgain, approved, problems } = await openTold(t);
const { db, pix } = bench;
const withoutReturns = (one: ReceivedPix): ReceivedPix => ({ ...one, refunds: [], oddRefunds: 0 });
const getPix = async (id: string) => withoutReturns((await pix.getPix(id))!);
const getCharge = async (txid: string) => {
  const charge = (await pix.getCharge(txid))!;
  return { ...charge, pix: charge.pix.map(withoutReturns) };
};
const gone = where({ getCharge, getPix });
const archived = where({ getCharge: async () => null, getPix });

const telling = (devolucao: object) => (entry: object) => ({ ...entry, devolucoes: [devolucao] });
const underWay = telling({ id: 'MED1', valor: '4.00', status: 'EM_PROCESSAMENTO' });
const made = telling({ id: 'MED1', valor: '4.00', status: 'DEVOLVIDO' });
const refused = telling({ id: 'MED1', valor: '4.00', status: 'NAO_REALIZADO' });
const inDoubt = { message: /does not show a return/ };

/** An approved payment, and a check of whether it may be paid out. */
async function paid() {
  const { id, endToEndId } = await approved();
  const check = async (at = gone) => learnFromBank(at, await bench.payment(id));
  return { id, endToEndId, check };
}

t.test('a told return that the bank shows no more is believed gone after four looks', async (t) => {
  const { id, check } = await paid();
  await settleTold(gone, await callbackOf(id, underWay));
  await t.rejects(check(), inDoubt);
  for (let look = 1; look < 4; look += 1) {
    await tryAgain(gone);
    t.match(await problems(), [{ paymentId: id, error: { code: 'return_not_in_charge' } }], `${look}`);
  }
  await tryAgain(gone);
  t.same(await problems(), []);
  await t.resolves(check());
});

t.test('so is one that was concluded before, and that a late callback tells again', async (t) => {
  const { id, endToEndId, check } = await paid();
  const shown = (one: ReceivedPix) => ({ ...one, refunds: [refund] });
  const [told] = await callbackOf(id, underWay);
  const refund = {
    ...{ id: 'MED1', rtrId: null, amount: 400, nature: 'MED_FRAUDE', reason: null, settledAt: null },
    status: 'EM_PROCESSAMENTO' as const,
  };
  const showing = where({
    getPix: async (one) => shown((await pix.getPix(one))!),
    getCharge: async (txid) => {
      const charge = (await pix.getCharge(txid))!;
      return { ...charge, pix: charge.pix.map(shown) };
    },
  });
  await settleTold(showing, [told!]);
  for (let look = 0; look < 4; look += 1) await followBankRefund(gone, (await listRefunds(db, id))[0]!);
  t.match(await listRefunds(db, id), [{ endToEndId, state: 'failed', concluded: true }]);
  await settleTold(gone, [told!]);
  await t.rejects(check(), inDoubt);
  for (let look = 0; look < 4; look += 1) await tryAgain(gone);
  t.same(await problems(), []);
  await t.resolves(check());
  await settleTold(showing, [told!]);
  t.match(await listRefunds(db, id), [{ state: 'processing' }], 'a later word revives it');
});

t.test('a return that the bank refused needs no record', async (t) => {
  const { id, check } = await paid();
  await settleTold(gone, await callbackOf(id, refused));
  t.same(await problems(), []);
  await t.resolves(check());
});

t.test('a return that was told as made is kept, however often the bank does not show it', async (t) => {
  for (const told of [made, telling({ valor: '4.00', status: 'DEVOLVIDO' })]) {
    const { id, check } = await paid();
    await settleTold(gone, await callbackOf(id, told));
    for (let look = 0; look < 6; look += 1) await tryAgain(gone);
    t.match(await problems(), [{ paymentId: id }]);
    await t.rejects(check(), { message: /does not show a return/ });
    await db.deleteFrom('chargeProblems').execute();
  }
});

t.test('a return without an id that the bank then refused is believed gone, too', async (t) => {
  const { id, check } = await paid();
  await settleTold(gone, await callbackOf(id, telling({ valor: '4.00', status: 'EM_PROCESSAMENTO' })));
  await t.rejects(check(), inDoubt);
  for (let look = 0; look < 4; look += 1) await tryAgain(gone);
  t.same(await problems(), []);
  await t.resolves(check());
});

t.test('of a charge that the bank has no more, the Pix decides', async (t) => {
  const { id } = await paid();
  await settleTold(archived, await callbackOf(id, underWay));
  for (let look = 0; look < 3; look += 1) await tryAgain(archived);
  t.equal((await problems()).length, 1);
  await tryAgain(archived);
  t.same(await problems(), []);
});

for (const by of ['callback', 'list'] as const)
  t.test(`a return that a ${by} tells once more is looked for anew`, async (t) => {
    const { id } = await paid();
    await settleTold(gone, await callbackOf(id, underWay));
    for (let look = 0; look < 3; look += 1) await tryAgain(gone);
    if (by === 'callback') await settleTold(gone, await callbackOf(id, underWay));
    else
      await reconcile({ ...gone, pix: { ...gone.pix, listPix: (await listOf(id, underWay)).pix.listPix } });
    for (let look = 0; look < 3; look += 1) await tryAgain(gone);
    t.equal((await problems()).length, 1);
    await tryAgain(gone);
    t.same(await problems(), []);
  });

t.test('silence of the bank is no look', async (t) => {
  const { id } = await paid();
  await settleTold(gone, await callbackOf(id, underWay));
  const silent = where({
    getCharge: () => Promise.reject(new PixUnavailable('getCharge', 'timeout')),
  });
  for (let look = 0; look < 5; look += 1) await tryAgain(silent);
  for (let look = 0; look < 3; look += 1) await tryAgain(gone);
  t.equal((await problems()).length, 1);
  await db.deleteFrom('chargeProblems').execute();
});
