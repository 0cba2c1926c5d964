import { listPixReceived } from '@payments/database/charges/pix-received';
import { listChargeProblemsOf } from '@payments/database/charges/problems';
import type { StoredPayment } from '@payments/database/payments/payments';
import { readPix } from '@payments/pix/answers';
import t from 'tap';
import { expirePayment } from '../../src/charges/expire.ts';
import { settleSetAside } from '../../src/charges/settle-set-aside.ts';
import { decide } from '../../src/decide.ts';
import { settleCharge } from '../../src/pix/settle-charge.ts';
import { chargeOf, openBench } from '../at-bank.ts';

// Paid in time and seen late: the Pix's horario counts.
const bench = await openBench(t, async () => {});
const { context, db, pix, system } = bench;
const settle = async (id: string) => settleCharge(context, id, await chargeOf(bench, id));
const day = 86_400;

async function pass(seconds: number) {
  bench.advance(seconds);
  await system.bank('/bank/clock', { advanceSeconds: seconds });
}

/** Makes the bank show the charge without its Pix. */
const blind = {
  ...context,
  pix: {
    ...pix,
    getCharge: async (txid: string) => ({ ...(await pix.getCharge(txid))!, status: 'ATIVA', pix: [] }),
  },
};

async function create(): Promise<StoredPayment> {
  return (await bench.create(1))[0]!;
}

t.test('after the expiry, within the grace: approved', async (t) => {
  const payment = await create();
  await bench.pay(payment);
  await pass(day + 60);
  await expirePayment(blind, payment);
  t.equal((await bench.payment(payment.id)).status, 'pending', 'not closed yet');
  await settle(payment.id);
  t.equal((await bench.payment(payment.id)).status, 'approved');
});

t.test('after the payment was closed: approved', async (t) => {
  const payment = await create();
  await bench.pay(payment);
  await pass(day + 121);
  await expirePayment(blind, payment);
  t.equal((await bench.payment(payment.id)).status, 'not_approved');
  await settle(payment.id);
  t.match(await bench.payment(payment.id), { status: 'approved', amount: 1_000 });
});

t.test('an expiry that could not be checked is shown until the payment is settled otherwise', async (t) => {
  const payment = await create();
  await bench.pay(payment);
  await pass(day + 121);
  await bench.faults({ status: 500, only: ['getCob'] });
  await expirePayment(context, payment);
  await bench.faults();
  t.match(await listChargeProblemsOf(db, payment.id), [{ work: 'expire', tries: 1 }]);
  await settle(payment.id);
  t.equal((await bench.payment(payment.id)).status, 'approved');
  await settleSetAside(context, { limit: 1, leaseMs: 1_000 });
  t.same(await listChargeProblemsOf(db, payment.id), []);
});

t.test('after an administrator cancelled: a person decides', async (t) => {
  const payment = await create();
  await bench.pay(payment);
  const by = { name: null, via: 'api', reason: null, requestId: null } as const;
  await decide(context, { paymentId: payment.id, to: 'not_approved', by });
  await settle(payment.id);
  t.equal((await bench.payment(payment.id)).status, 'review');
});

t.test('paid after the expiry: a person decides, within the grace and after it', async (t) => {
  const [early, late] = [await create(), await create()];
  await pass(day + 60);
  await bench.pay(early);
  await settle(early.id);
  t.equal((await bench.payment(early.id)).status, 'review');
  await pass(61);
  await expirePayment(context, late);
  await bench.pay(late);
  await settle(late.id);
  t.equal((await bench.payment(late.id)).status, 'review');
});

/** Settles a charge whose Pix the bank dates by São Paulo's clocks, without a zone. */
async function settleLocal(id: string, nameOf = (endToEndId: string) => endToEndId) {
  const charge = await chargeOf(bench, id);
  const dated = charge.pix.map((one) => {
    const horario = new Date(one.paidAt.getTime() - 3 * 3_600_000).toISOString().replace('Z', '');
    const endToEndId = nameOf(one.endToEndId);
    return { ...readPix({ endToEndId, valor: '10.00', horario }), txid: charge.txid };
  });
  await settleCharge(context, id, { ...charge, pix: dated });
  return charge.pix[0]!.paidAt;
}
const paidAtOf = async (id: string) => (await listPixReceived(db, id))[0]?.paidAt;

t.test('a time without a zone is São Paulo’s where it is impossible as UTC', async (t) => {
  // An id without a minute, so that nothing else tells which of the two the bank means.
  const nameless = () => 'X'.padEnd(32, '0');
  for (const nameOf of [nameless, undefined]) {
    const payment = await create();
    await bench.pay(payment);
    await pass(day + 60);
    const paidAt = await settleLocal(payment.id, nameOf);
    t.equal((await bench.payment(payment.id)).status, 'approved', 'it was paid in time, and is seen late');
    t.same(await paidAtOf(payment.id), paidAt, 'the true time is kept');
  }
});

t.test('a Pix that is late by less than three hours is not approved for want of a zone', async (t) => {
  const payment = await create();
  await pass(day + 3_600);
  await bench.pay(payment);
  const paidAt = await settleLocal(payment.id);
  t.equal((await bench.payment(payment.id)).status, 'review');
  t.same(await paidAtOf(payment.id), paidAt);
});

t.test('a default in the place of a time gives way to the minute in the id', async (t) => {
  const payment = await create();
  await bench.pay(payment);
  const charge = await chargeOf(bench, payment.id);
  const dated = charge.pix.map(({ endToEndId, paidAt }) => ({
    ...readPix({ endToEndId, valor: '10.00', horario: '0001-01-01T00:00:00' }),
    txid: charge.txid,
    minute: Math.floor(paidAt.getTime() / 60_000) * 60_000,
  }));
  await settleCharge(context, payment.id, { ...charge, pix: dated });
  t.same(await paidAtOf(payment.id), new Date(dated[0]!.minute), 'its 90 days to refund it begin there');
});
