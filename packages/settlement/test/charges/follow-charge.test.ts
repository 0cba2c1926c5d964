import { readBacklog } from '@payments/database/backlog';
import { claimUnregistered, hastenRegistrations } from '@payments/database/charges/charges';
import { listChargeProblemsOf } from '@payments/database/charges/problems';
import type { StoredPayment } from '@payments/database/payments/payments';
import { txidOf } from '@payments/domain/identifiers';
import type { Charge } from '@payments/pix/client';
import { PixRefused } from '@payments/pix/errors';
import t from 'tap';
import { registerLate } from '../../src/charges/follow-charge.ts';
import { removeUnheard } from '../../src/charges/remove-unheard.ts';
import { settleSetAside } from '../../src/charges/settle-set-aside.ts';
import { decide } from '../../src/decide.ts';
import { chargeOf, openBench } from '../at-bank.ts';
import { followCharges } from './follow-charges.ts';

const bench = await openBench(t, async () => {});
const { context, db, system } = bench;

const follow = () => followCharges(context);

async function unregistered() {
  await bench.faults({ status: 400, only: ['putCob'] });
  const [payment] = await bench.create(1);
  await bench.faults();
  return payment!;
}

const cancel = (paymentId: string) =>
  decide(context, {
    paymentId,
    to: 'not_approved',
    by: { name: null, via: 'api', reason: null, requestId: null },
  });
/** Registers a charge like a try whose response was lost. */
const registerUnheard = ({ id, amount }: StoredPayment, expiresInSeconds = 86_400) =>
  bench.pix.putCharge(txidOf(id), { amount, expiresInSeconds });
/** Advances our clock and the bank's. */
const advance = async (seconds: number) => {
  bench.advance(seconds);
  await system.bank('/bank/clock', { advanceSeconds: seconds });
};
const chargeAtBank = async (id: string) => (await system.bank(`/bank/charges/${txidOf(id)}`)).body;
const statusAtBank = async (id: string) => (await chargeOf(bench, id)).status;

t.test('a charge that the PSP refused is registered later, with the remaining time', async (t) => {
  const payment = await unregistered();
  t.match(payment, { copyAndPaste: null, chargeState: 'unregistered' });
  await advance(3_600);
  t.equal(await follow(), 1);
  t.match(await bench.payment(payment.id), {
    copyAndPaste: /^000201/,
    chargeState: 'registered',
    chargeTries: 0,
  });
  const left = (await chargeAtBank(payment.id)).calendario.expiracao;
  t.ok(left > 82_700 && left <= 82_800, `${left} seconds`);
  t.equal(await follow(), 0);
});

t.test(
  'a charge that an earlier try registered is used, also at a PSP that accepts a txid once',
  async (t) => {
    const [known, unknown] = [await unregistered(), await unregistered()];
    await registerUnheard(known);
    await bench.faults({ status: 409, only: ['putCob'] });
    await advance(3_600);
    t.equal(await follow(), 2);
    await bench.faults();
    t.match(await bench.payment(known.id), { copyAndPaste: /^000201/, chargeState: 'registered' });
    t.match(await bench.payment(unknown.id), {
      copyAndPaste: null,
      chargeState: 'unregistered',
      chargeTries: 1,
    });
    await advance(60);
    t.equal(await follow(), 1);
  },
);

t.test(
  'a paid charge of an earlier try settles its payment, though the bank refuses to set it again',
  async (t) => {
    const payment = await unregistered();
    await registerUnheard(payment);
    const { pixCopiaECola } = await chargeAtBank(payment.id);
    await bench.faults({ dropCallbacks: true });
    await system.bank('/bank/pay', { pixCopiaECola });
    await bench.faults();
    t.equal(await follow(), 1);
    t.match(await bench.payment(payment.id), {
      status: 'approved',
      bank: context.bank,
      chargeState: 'closed',
    });
    t.equal(await follow(), 0);
    await advance(15);
    t.equal(await removeUnheard(context, { limit: 10, leaseMs: 60_000 }), 1, 'nothing is left to remove');
  },
);

t.test('a charge registered for a shorter time is set again, until the payment expires', async (t) => {
  const payment = await unregistered();
  await registerUnheard(payment, 1_800);
  await advance(3_600);
  t.equal(await follow(), 1);
  const { expiresAt, copyAndPaste } = await bench.payment(payment.id);
  const charge = await chargeAtBank(payment.id);
  t.equal(charge.pixCopiaECola, copyAndPaste);
  const early = expiresAt.getTime() - Date.parse(charge.expiraEm);
  t.ok(early >= 0 && early < 2_000, `${early} ms`);
});

t.test('a PSP that accepts a txid once keeps the earlier try’s charge, while it lasts', async (t) => {
  const [lasting, ended] = [await unregistered(), await unregistered()];
  await registerUnheard(lasting, 7_200);
  await registerUnheard(ended, 1_800);
  await bench.faults({ status: 409, only: ['putCob'] });
  await advance(3_600);
  t.equal(await follow(), 2);
  t.match(await bench.payment(lasting.id), { copyAndPaste: /^000201/, chargeState: 'registered' });
  t.match(await bench.payment(ended.id), { copyAndPaste: null, chargeState: 'unregistered' });
  await bench.faults();
  await advance(60);
  t.equal(await follow(), 1);
});

t.test('a PSP that refuses our credentials says nothing about the charge', async (t) => {
  const payment = await unregistered();
  await registerUnheard(payment, 7_200);
  await bench.faults({ status: 403, only: ['putCob'] });
  await advance(3_600);
  await follow();
  t.match(await bench.payment(payment.id), { copyAndPaste: null, chargeState: 'unregistered' });
  await bench.faults();
  await advance(60);
  t.equal(await follow(), 1);
});

t.test('a try under an older Idempotency-Key counts from its own time', async (t) => {
  const payment = await unregistered();
  await registerUnheard(payment, 1_800);
  await advance(1_200);
  // A repeated request created the payment later.
  await db
    .updateTable('payments')
    .set({ createdAt: context.now(), expiresAt: new Date(context.now().getTime() + 1_800_000) })
    .where('id', '=', payment.id)
    .execute();
  t.equal(await follow(), 1);
  const { expiresAt } = await bench.payment(payment.id);
  const early = expiresAt.getTime() - Date.parse((await chargeAtBank(payment.id)).expiraEm);
  t.ok(early >= 0 && early < 2_000, `${early} ms`);
});

t.test('the pauses between tries grow to half a minute and no further', async (t) => {
  bench.stopClock(t);
  const payment = await unregistered();
  await bench.faults({ status: 400, only: ['putCob'] });
  const pauses: number[] = [];
  for (let tried = 0; tried < 10; tried += 1) {
    t.equal(await follow(), 1);
    const { chargeTryAt } = await db
      .selectFrom('payments')
      .select('chargeTryAt')
      .where('id', '=', payment.id)
      .executeTakeFirstOrThrow();
    pauses.push((chargeTryAt!.getTime() - context.now().getTime()) / 1_000);
    t.equal(await follow(), 0, 'not before');
    bench.advance(pauses.at(-1)! + 1);
  }
  t.same(pauses, [1, 2, 4, 8, 16, 30, 30, 30, 30, 30]);
  await bench.faults();
  await hastenRegistrations(db, context.bank, context.now());
  t.equal(await follow(), 1, 'once hastened, at once');
  t.equal((await bench.payment(payment.id)).chargeState, 'registered');
});

t.test('a charge that expired meanwhile is not registered', async (t) => {
  const payment = await unregistered();
  bench.advance(86_400);
  await follow();
  t.match(await bench.payment(payment.id), { chargeState: 'closed', copyAndPaste: null });
});

t.test('cancelling withdraws the charge, if it was registered', async (t) => {
  const [registered] = await bench.create(1);
  const never = await unregistered();
  await Promise.all([cancel(registered!.id), cancel(never.id)]);
  t.equal((await bench.payment(never.id)).chargeState, 'closed');
  t.equal((await bench.payment(registered!.id)).chargeState, 'cancelling');
  t.equal(await follow(), 1);
  t.equal((await bench.payment(registered!.id)).chargeState, 'closed');
  t.equal(await statusAtBank(registered!.id), 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
});

t.test('a withdrawal whose response was lost succeeds', async (t) => {
  const [payment] = await bench.create(1);
  await cancel(payment!.id);
  await bench.pix.cancelCharge(payment!.id.replaceAll('-', ''));
  t.equal(await follow(), 1);
  t.equal((await bench.payment(payment!.id)).chargeState, 'closed');
});

t.test('a withdrawal waits for the PSP, and finds a Pix that was paid meanwhile', async (t) => {
  const [payment] = await bench.create(1);
  await cancel(payment!.id);
  await bench.faults({ status: 503, only: ['patchCob'] });
  t.equal(await follow(), 1);
  t.equal((await bench.payment(payment!.id)).chargeState, 'cancelling');
  await bench.pay(payment!);
  await bench.faults();
  bench.advance(60);
  t.equal(await follow(), 1);
  t.match(await bench.payment(payment!.id), { status: 'review', chargeState: 'closed' });
});

t.test('a registration that comes too late for a cancelled payment is withdrawn again', async (t) => {
  const payment = await unregistered();
  const [due] = await claimUnregistered(db, {
    bank: context.bank,
    limit: 1,
    leaseMs: 60_000,
    now: context.now(),
  });
  t.equal(due?.id, payment.id);
  await cancel(payment.id);
  await registerLate(context, due!);
  await advance(15);
  t.equal(await removeUnheard(context, { limit: 10, leaseMs: 60_000 }), 1);
  t.match(await bench.payment(payment.id), {
    status: 'not_approved',
    copyAndPaste: null,
    chargeState: 'closed',
  });
  t.equal(await statusAtBank(payment.id), 'REMOVIDA_PELO_USUARIO_RECEBEDOR');
});

t.test('two replicas that register one charge at once leave it registered', async (t) => {
  const payment = await unregistered();
  await Promise.all([registerLate(context, payment), registerLate(context, payment)]);
  t.match(await bench.payment(payment.id), { status: 'pending', chargeState: 'registered' });
  t.equal(await statusAtBank(payment.id), 'ATIVA');
});

t.test('a charge that the bank refuses is shown in its words until it takes it', async (t) => {
  const [taken, cancelled] = [await unregistered(), await unregistered()];
  const problemsOf = ({ id }: StoredPayment) => listChargeProblemsOf(db, id);
  t.same(await problemsOf(taken), []);
  await bench.faults({ status: 400, only: ['putCob'] });
  await follow();
  await advance(2);
  await follow();
  for (const payment of [taken, cancelled])
    t.match(await problemsOf(payment), [
      { work: 'register', tries: 2, error: { code: 'refused', detail: /^400/ }, tryAt: null },
    ]);
  t.match(await readBacklog(db, { now: context.now() }), { chargesRefused: 2, chargesStuck: 0 });
  await bench.faults({ status: 503, only: ['putCob'] });
  await advance(4);
  await follow();
  t.match(await problemsOf(taken), [{ tries: 2 }], 'silence is no refusal');
  await bench.faults();
  await cancel(cancelled.id);
  await advance(8);
  await follow();
  t.equal((await bench.payment(taken.id)).chargeState, 'registered');
  t.same(await problemsOf(taken), []);
  await settleSetAside(context, { limit: 10, leaseMs: 10_000 });
  t.same(await problemsOf(cancelled), [], 'nobody wants it any more');
});

const refused = () => Promise.reject(new PixRefused('putCharge', 409, { type: null, detail: null }));

t.test('a charge that was read is used only if it is ours, for its amount, and has a code', async (t) => {
  const shows = (odd: Partial<Charge>) => {
    const getCharge = async (txid: string) => ({ ...(await bench.pix.getCharge(txid))!, ...odd });
    return { ...context, pix: { ...bench.pix, getCharge } };
  };
  const oddities = [{ key: 'someone@else.example' }, { amount: 100 }, { copyAndPaste: null }];
  for (const odd of oddities) {
    const payment = await unregistered();
    await registerUnheard(payment);
    const { pix } = shows(odd);
    await registerLate({ ...context, pix: { ...pix, putCharge: refused } }, payment);
    t.equal((await bench.payment(payment.id)).copyAndPaste, null, JSON.stringify(odd));
    await cancel(payment.id);
  }
});
