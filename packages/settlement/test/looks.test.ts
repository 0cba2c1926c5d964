import { claimExpired } from '@payments/database/charges/charges';
import { listChargeProblemsOf } from '@payments/database/charges/problems';
import { listHistory } from '@payments/database/payments/history';
import type { StoredPayment } from '@payments/database/payments/payments';
import { txidOf } from '@payments/domain/identifiers';
import t from 'tap';
import { expirePayment } from '../src/charges/expire.ts';
import type { BankContext } from '../src/context.ts';
import { decide } from '../src/decide.ts';
import { settleTold } from '../src/pix/settle-told.ts';
import { chargeOf, openBench } from './at-bank.ts';
import { followCharges } from './charges/follow-charges.ts';

// One answer proves nothing: "there is no such charge" is believed after several looks, some time apart.
const bench = await openBench(t, async () => {});
const { context, db, system } = bench;
const day = 86_400;
const by = { name: null, via: 'api', reason: null, requestId: null } as const;
const hidden = (times: number, only = ['patchCob', 'getCob']) => bench.faults({ status: 404, only, times });

async function advance(seconds: number) {
  bench.advance(seconds);
  await system.bank('/bank/clock', { advanceSeconds: seconds });
}

async function create(): Promise<StoredPayment> {
  return (await bench.create(1))[0]!;
}

async function cancelled(): Promise<StoredPayment> {
  const payment = await create();
  await decide(context, { paymentId: payment.id, to: 'not_approved', by });
  return payment;
}

/** Checks the payments whose check is due, as a dispatcher does. */
async function checkDue(as: BankContext = context): Promise<number> {
  const lease = { bank: context.bank, limit: 100, leaseMs: 15_000, now: context.now() };
  const due = await claimExpired(db, lease);
  await Promise.all(due.map((payment) => expirePayment(as, payment)));
  return due.length;
}

const chargeState = async ({ id }: StoredPayment) => (await bench.payment(id)).chargeState;
const status = async ({ id }: StoredPayment) => (await bench.payment(id)).status;
const lastReason = async ({ id }: StoredPayment) => (await listHistory(db, id)).at(-1)?.reason;
const looks = async ({ id }: StoredPayment) => {
  const rows = await db.selectFrom('chargeProblems').select('looks').where('paymentId', '=', id).execute();
  return rows.map((row) => row.looks);
};

t.test('a cancelled charge that the bank does not show is looked for four times', async (t) => {
  const payment = await cancelled();
  await hidden(8);
  for (const pause of [5, 10, 20]) {
    t.equal(await followCharges(context), 1);
    t.equal(await chargeState(payment), 'cancelling');
    t.match(await listChargeProblemsOf(db, payment.id), [
      { work: 'cancel', error: { code: 'charge_unknown' } },
    ]);
    await advance(pause - 1);
    t.equal(await followCharges(context), 0, `not before ${pause} s`);
    await advance(1);
  }
  t.equal(await followCharges(context), 1);
  t.equal(await chargeState(payment), 'closed');
  t.same(await listChargeProblemsOf(db, payment.id), [], 'and shown no more');
});

t.test('a cancelled charge that a lagging answer hid is removed', async (t) => {
  const payment = await cancelled();
  await hidden(2);
  await followCharges(context);
  await advance(5);
  await followCharges(context);
  t.equal(await chargeState(payment), 'closed');
  t.equal((await chargeOf(bench, payment.id)).status, 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
});

t.test('a cancellation that the bank accepts is made once the charge is removed', async (t) => {
  const payment = await cancelled();
  const { pix } = context;
  const later = async (txid: string) => (await pix.getCharge(txid))!;
  await followCharges({ ...context, pix: { ...pix, cancelCharge: later } });
  t.equal(await chargeState(payment), 'cancelling');
  t.match(await listChargeProblemsOf(db, payment.id), [{ work: 'cancel', error: { code: 'charge_active' } }]);
  await pix.cancelCharge(txidOf(payment.id));
  await advance(5);
  await followCharges(context);
  t.equal(await chargeState(payment), 'closed');
  t.same(await listChargeProblemsOf(db, payment.id), []);
});

t.test('a cancelled charge that shows up in between is looked for anew', async (t) => {
  const payment = await cancelled();
  await hidden(6);
  for (const pause of [5, 10, 20]) {
    await followCharges(context);
    await advance(pause);
  }
  t.same(await looks(payment), [3]);
  // The PATCH is refused, and the GET shows the charge.
  await bench.faults({ status: 404, only: ['patchCob'] });
  await followCharges(context);
  t.same(await looks(payment), [0]);
  await hidden(2);
  await advance(3_600);
  await followCharges(context);
  t.same(await looks(payment), [1]);
  t.equal(await chargeState(payment), 'cancelling');
  await bench.faults();
  await advance(5);
  await followCharges(context);
  t.equal((await chargeOf(bench, payment.id)).status, 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
});

t.test('no answer is no look', async (t) => {
  const payment = await cancelled();
  await hidden(2);
  await followCharges(context);
  await bench.faults({ status: 503, only: ['patchCob', 'getCob'] });
  await advance(5);
  await followCharges(context);
  t.same(await looks(payment), [1]);
  await bench.faults();
  await advance(3_600);
  await followCharges(context);
  t.equal(await chargeState(payment), 'closed');
});

t.test('an expired charge that the bank does not show is looked for four times', async (t) => {
  const payment = await create();
  await advance(day + 121);
  await hidden(4, ['getCob']);
  for (const pause of [5, 10, 20]) {
    t.equal(await checkDue(), 1);
    t.equal(await status(payment), 'pending');
    await advance(pause - 1);
    t.equal(await checkDue(), 0, `not before ${pause} s`);
    await advance(1);
  }
  t.equal(await checkDue(), 1);
  t.equal(await status(payment), 'not_approved');
  t.equal(await lastReason(payment), 'expired');
  t.same(await listChargeProblemsOf(db, payment.id), []);
});

t.test('an expired charge that one answer hid, and that was paid in time: approved at once', async (t) => {
  const payment = await create();
  await bench.pay(payment);
  await advance(day + 121);
  await hidden(1, ['getCob']);
  await checkDue();
  t.equal(await status(payment), 'pending');
  await advance(5);
  await checkDue();
  t.same(
    (await listHistory(db, payment.id)).map((one) => one.status),
    ['pending', 'approved'],
  );
});

t.test('an expired payment with a Pix that its charge does not show yet stays pending', async (t) => {
  const payment = await create();
  const endToEndId = await bench.pay(payment);
  const { pix } = context;
  const lagging = async (txid: string) => ({ ...(await pix.getCharge(txid))!, status: 'ATIVA', pix: [] });
  const unpaid = { ...context, pix: { ...pix, getCharge: lagging } };
  await settleTold(unpaid, [{ txid: txidOf(payment.id), endToEndIds: [endToEndId] }]);
  await advance(day + 121);
  t.equal(await checkDue(unpaid), 1);
  t.equal(await status(payment), 'pending');
  t.match(await listChargeProblemsOf(db, payment.id), [
    { work: 'settle' },
    { work: 'expire', error: { code: 'pix_not_in_charge' } },
  ]);
  await advance(15);
  t.equal(await checkDue(), 1);
  t.equal(await status(payment), 'approved');
});

/** As a step of deploy/restore.md: every pending payment is due for its check. */
const makeDue = () =>
  db.updateTable('payments').set({ expiryCheckAt: context.now() }).where('status', '=', 'pending').execute();
const checkAt = async ({ id }: StoredPayment) =>
  (await db.selectFrom('payments').select('expiryCheckAt').where('id', '=', id).executeTakeFirstOrThrow())
    .expiryCheckAt;

t.test(
  'a check before the expiry: removed is believed after four looks, active waits, paid is settled',
  async (t) => {
    const [removed, active, paid] = [await create(), await create(), await create()];
    await bench.pix.cancelCharge(txidOf(removed.id));
    await bench.pay(paid);
    const closesAt = await checkAt(active);
    await makeDue();
    t.equal(await checkDue(), 3);
    t.equal(await status(paid), 'approved');
    t.equal(await status(active), 'pending');
    t.same(await checkAt(active), closesAt, 'checked again at its closing time');
    for (const pause of [5, 10, 20]) {
      t.equal(await status(removed), 'pending');
      t.match(await listChargeProblemsOf(db, removed.id), [{ error: { code: 'charge_removed' } }]);
      await advance(pause);
      t.equal(await checkDue(), 1);
    }
    t.match(await bench.payment(removed.id), { status: 'not_approved', chargeState: 'closed' });
    t.match((await listHistory(db, removed.id)).at(-1), { actor: 'expiry', reason: 'removed_at_bank' });
    t.same(await listChargeProblemsOf(db, removed.id), []);
  },
);

t.test('a check before the expiry: a charge that the bank removed is gone, too', async (t) => {
  const payment = await create();
  const byPsp = { ...(await chargeOf(bench, payment.id)), status: 'REMOVIDA_PELO_PSP' };
  const removing = { ...context, pix: { ...context.pix, getCharge: async () => byPsp } };
  await makeDue();
  for (const pause of [5, 10, 20, 0]) {
    await checkDue(removing);
    await advance(pause);
  }
  t.equal(await lastReason(payment), 'removed_at_bank');
});

t.test('a check before the expiry: active in between begins the looks anew', async (t) => {
  const payment = await create();
  const shown = await chargeOf(bench, payment.id);
  const as = (charge: object) => ({
    ...context,
    pix: { ...context.pix, getCharge: async () => ({ ...shown, ...charge }) },
  });
  const removed = as({ status: 'REMOVIDA_PELO_PSP' });
  for (const one of [removed, removed, removed, as({}), removed, removed, removed]) {
    await makeDue();
    await checkDue(one);
  }
  t.equal(await status(payment), 'pending');
  t.same(await looks(payment), [3]);
  for (const one of [as({ status: 'CONCLUIDA' }), removed]) {
    await makeDue();
    await checkDue(one);
  }
  t.equal(await status(payment), 'pending', 'paid, and no Pix shown: it is not gone');
  t.same(await looks(payment), [1]);
  await makeDue();
  await checkDue();
});

t.test(
  'a check before the expiry: a charge that the bank does not know stays pending, and is shown',
  async (t) => {
    const payment = await create();
    await bench.faults({ status: 404, only: ['getCob'] });
    for (let time = 0; time < 6; time += 1) {
      await makeDue();
      await checkDue();
      await advance(60);
    }
    t.equal(await status(payment), 'pending');
    t.match(await listChargeProblemsOf(db, payment.id), [{ error: { code: 'charge_unknown' }, tries: 6 }]);
    await bench.faults();
    await makeDue();
    await checkDue();
    t.same(await listChargeProblemsOf(db, payment.id), []);
  },
);

t.test('thousands of pending payments, several replicas: each is asked for once', async (t) => {
  const payments = await bench.create(60);
  const asked: string[] = [];
  const { getCharge } = context.pix;
  const counting = {
    ...context,
    pix: {
      ...context.pix,
      getCharge: (txid: string) => {
        asked.push(txid);
        return getCharge(txid);
      },
    },
  };
  await makeDue();
  const replica = async () => {
    const lease = { bank: context.bank, limit: 10, leaseMs: 15_000, now: context.now() };
    for (;;) {
      const due = await claimExpired(db, lease);
      await Promise.all(due.map((payment) => expirePayment(counting, payment)));
      if (due.length === 0) return;
    }
  };
  await Promise.all([replica(), replica(), replica()]);
  t.same(
    payments.filter(({ id }) => asked.filter((txid) => txid === txidOf(id)).length !== 1),
    [],
  );
});
