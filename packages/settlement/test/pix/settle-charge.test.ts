import { listPixReceived } from '@payments/database/charges/pix-received';
import { listHistory } from '@payments/database/payments/history';
import { listRefunds } from '@payments/database/refunds/refunds';
import { newId } from '@payments/domain/identifiers';
import t from 'tap';
import { settleCharge } from '../../src/pix/settle-charge.ts';
import { chargeOf, openBench } from '../at-bank.ts';

const bench = await openBench(t, async (bench, id) =>
  settleCharge(bench.context, id, await chargeOf(bench, id)),
);
const { context, db } = bench;
const settle = async (id: string) => settleCharge(context, id, await chargeOf(bench, id));

t.test('thirty settlements of one charge at once: one Pix, one change, one event', async (t) => {
  const [payment] = await bench.create(1);
  const { id } = payment!;
  await bench.pay(payment!);
  const charge = await chargeOf(bench, id);
  const settled = await Promise.all(Array.from({ length: 30 }, () => settleCharge(context, id, charge)));
  t.equal(settled.filter((one) => one?.newPix === 1).length, 1);
  t.equal((await bench.payment(id)).status, 'approved');
  t.equal((await listHistory(db, id)).length, 2);
  t.equal((await listPixReceived(db, id)).length, 1);
});

t.test('three Pix settled by thirty at once: one counts, two are ordered back, once each', async (t) => {
  const [payment] = await bench.create(1);
  const { id } = payment!;
  for (let paid = 0; paid < 3; paid += 1) await bench.pay(payment!);
  const charge = await chargeOf(bench, id);
  await Promise.all(Array.from({ length: 30 }, () => settleCharge(context, id, charge)));
  t.equal((await bench.payment(id)).status, 'approved');
  const refunds = await listRefunds(db, id);
  t.equal(refunds.length, 2);
  t.equal(new Set(refunds.map(({ endToEndId }) => endToEndId)).size, 2);
});

t.test('an endToEndId that a bank reports for two charges counts only for the first', async (t) => {
  const [one, other] = await bench.create(2);
  await bench.pay(one!);
  const charge = await chargeOf(bench, one!.id);
  await Promise.all([settleCharge(context, one!.id, charge), settle(other!.id)]);
  const settled = await settleCharge(context, other!.id, charge);
  t.equal(settled?.newPix, 0);
  t.equal((await bench.payment(other!.id)).status, 'pending');
});

t.test(
  'a Pix that is shown twice, its id in another case, counts once; one of another time is another',
  async (t) => {
    const [payment] = await bench.create(1);
    const { id } = payment!;
    await bench.pay(payment!);
    const charge = await chargeOf(bench, id);
    const [paid] = charge.pix;
    const again = { ...paid!, endToEndId: paid!.endToEndId.toLowerCase() };
    await settleCharge(context, id, { ...charge, pix: [paid!, again] });
    t.match(await listPixReceived(db, id), [{ endToEndId: paid!.endToEndId, effect: 'approved' }]);
    const later = { ...again, paidAt: new Date(again.paidAt.getTime() + 1_000) };
    await settleCharge(context, id, { ...charge, pix: [paid!, later] });
    t.match(await listPixReceived(db, id), [{ effect: 'approved' }, { effect: 'refund' }]);
  },
);

t.test('of several Pix the earliest counts, in any order of the bank’s list', async (t) => {
  const [payment] = await bench.create(1);
  const { id } = payment!;
  const first = await bench.pay(payment!, '7.00');
  await bench.system.bank('/bank/clock', { advanceSeconds: 1 });
  await bench.pay(payment!);
  await bench.system.bank('/bank/clock', {});
  const charge = await chargeOf(bench, id);
  await settleCharge(context, id, { ...charge, pix: charge.pix.toReversed() });
  t.match(await listPixReceived(db, id), [{ effect: 'review' }, { effect: 'refund' }]);
  t.equal((await listPixReceived(db, id)).find(({ effect }) => effect === 'review')?.endToEndId, first);
});

t.test('a charge without Pix, and a missing payment, change nothing', async (t) => {
  const [payment] = await bench.create(1);
  t.match(await settle(payment!.id), { newPix: 0, refunds: 0 });
  t.equal((await bench.payment(payment!.id)).status, 'pending');
  const charge = await chargeOf(bench, payment!.id);
  t.equal(await settleCharge(context, newId(), charge), undefined);
});

t.test('a Pix dated hours from now is logged, and our clock decides', async (t) => {
  const [payment] = await bench.create(1);
  await bench.system.bank('/bank/clock', { advanceSeconds: 4 * 3_600 });
  await bench.pay(payment!);
  await bench.system.bank('/bank/clock', {});
  bench.lines.length = 0;
  await settle(payment!.id);
  t.equal((await bench.payment(payment!.id)).status, 'approved');
  const line = bench.lines.find(
    ({ msg }) => msg === 'a Pix has an impossible date; the time it was seen counts',
  );
  t.match(line, { level: 40, paymentId: payment!.id });
});
