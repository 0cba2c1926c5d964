import { listChargeProblemsOf } from '@payments/database/charges/problems';
import type { StoredPayment } from '@payments/database/payments/payments';
import t from 'tap';
import { decide } from '../src/decide.ts';
import { expirePayment } from '../src/expire.ts';
import { settleCharge } from '../src/settle-charge.ts';
import { settleSetAside } from '../src/settle-set-aside.ts';
import { chargeOf, openBench } from './at-bank.ts';

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
