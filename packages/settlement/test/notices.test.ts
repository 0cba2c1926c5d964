import { addDays, dayOf, startOf } from '@payments/domain/days';
import { newId, txidOf } from '@payments/domain/identifiers';
import type { Notice } from '@payments/notices/kinds';
import { renderNotices } from '@payments/notices/mail/notice-words';
import { postBody } from '@payments/notices/post';
import type { Refund } from '@payments/pix/client';
import t from 'tap';
import { settleSetAside } from '../src/charges/settle-set-aside.ts';
import { checkDay, settleAndCheckDay } from '../src/days/check-day.ts';
import { reconcile } from '../src/days/reconcile.ts';
import { decide } from '../src/decide.ts';
import { settleCharge } from '../src/pix/settle-charge.ts';
import { carryOutRefunds } from '../src/refunds/carry-out.ts';
import { orderRefund } from '../src/refunds/order-refund.ts';
import { orderRefusedAgain } from '../src/refunds/refused-refund.ts';
import { chargeOf, openBench } from './at-bank.ts';

// The facts that people are told of: each is written with its cause, and once.
const bench = await openBench(t, async (one, id) => settleCharge(one.context, id, await chargeOf(one, id)));
const { context, db, system, store } = bench;
const by = { name: 'Ana', via: 'api', reason: null, requestId: null } as const;
const settle = async (id: string) => settleCharge(context, id, await chargeOf(bench, id));
const noticesOf = async (kind: string) => {
  const rows = await db.selectFrom('notices').selectAll().orderBy('id').execute();
  return rows.filter((row) => row.kind === kind);
};
const all = async () => (await db.selectFrom('notices').select('kind').execute()).map(({ kind }) => kind);

let bankOffset = 0;
async function timePasses(seconds: number) {
  bench.advance(seconds);
  bankOffset += seconds;
  await system.bank('/bank/clock', {});
  await system.bank('/bank/clock', { advanceSeconds: bankOffset });
}

/** Goes on to six in the morning: whatever the hour is now, what follows is within one day, also at the bank. */
async function nextMorning() {
  const midnight = startOf(addDays(dayOf(context.now()), 1));
  await timePasses((midnight.getTime() - context.now().getTime()) / 1_000 + 6 * 3_600);
}

async function approved() {
  const [payment] = await bench.create(1);
  const endToEndId = await bench.pay(payment!);
  await settle(payment!.id);
  return { id: payment!.id, endToEndId };
}

t.test('a sale that needs nobody is told to nobody', async (t) => {
  const { id } = await approved();
  await decide(context, { paymentId: id, to: 'paid', by });
  t.same(await all(), []);
});

t.test('a review is told once, whoever sees it', async (t) => {
  const [payment] = await bench.create(1);
  await bench.pay(payment!, '5.00');
  await Promise.all([settle(payment!.id), settle(payment!.id)]);
  const facts = { paymentId: payment!.id, amount: 500, reason: 'amount_differs' };
  t.match(await noticesOf('review_waiting'), [{ storeId: store.id, facts, sharedAt: null }]);
});

t.test('a review whose commit fails is told to nobody', async (t) => {
  const before = await all();
  const [payment] = await bench.create(1);
  await bench.pay(payment!, '5.00');
  const charge = await chargeOf(bench, payment!.id);
  await t.rejects(
    db.transaction().execute(async (trx) => {
      // The caller's transaction, as `inTransaction` takes it.
      await settleCharge({ ...context, db: trx as never }, payment!.id, charge);
      throw new Error('the process dies here');
    }),
  );
  t.same(await all(), before);
  await settle(payment!.id);
  t.equal((await all()).length, before.length + 1, 'the next look tells it');
});

t.test('a refund is owed once the bank has refused it for good', async (t) => {
  const { id } = await approved();
  await orderRefund(context, { paymentId: id, amount: 400, by });
  for (const seconds of [0, 61, 601]) {
    t.same(await noticesOf('refund_owed'), [], 'not while it is ordered again');
    bench.advance(seconds);
    await bench.faults({ refuseRefunds: true });
    await orderRefusedAgain(context, 10);
    await carryOutRefunds(context, { limit: 10, paymentId: id });
    await bench.faults();
  }
  await orderRefusedAgain(context, 10);
  t.match(await noticesOf('refund_owed'), [{ storeId: store.id, facts: { paymentId: id, amount: 400 } }]);
});

t.test('what the bank takes back by itself is told once', async (t) => {
  const { id, endToEndId } = await approved();
  await system.bank('/bank/refunds', { endToEndId, valor: '4.00' });
  await settle(id);
  await settle(id);
  const facts = { paymentId: id, endToEndId, amount: 400 };
  t.match(await noticesOf('returned_by_bank'), [{ storeId: store.id, facts }]);
});

t.test('a return that was made in the bank’s app is told as that, and as no MED', async (t) => {
  const { id, endToEndId } = await approved();
  await system.bank('/bank/refunds', { endToEndId, valor: '2.00', natureza: 'ORIGINAL' });
  await settle(id);
  const [row, ...others] = (await noticesOf('returned_by_bank')).filter(({ key }) =>
    key.includes(endToEndId),
  );
  t.same(others, []);
  const notice = row as Notice;
  t.match(notice, { storeId: store.id, facts: { paymentId: id, amount: 200, reason: 'ORIGINAL' } });
  const collected = { kind: notice.kind, notices: [notice], total: 1 };
  const rendered = renderNotices(collected, {
    panelUrl: 'http://panel.example.com',
    reviewTimeoutSeconds: 60,
    storeNames: new Map(),
  });
  const { kind, text } = JSON.parse(postBody(collected, rendered));
  t.equal(kind, 'returned_by_bank');
  t.match(text, /^Devolução de R\$\s2,00 iniciada no banco\n/, 'the webhook’s words');
});

t.test('a return that the bank shows as refused at first, and makes after all, is told once', async (t) => {
  const { id, endToEndId } = await approved();
  await system.bank('/bank/refunds', { endToEndId, valor: '3.00' });
  const charge = await chargeOf(bench, id);
  const refused = (refund: Refund) => ({ ...refund, status: 'NAO_REALIZADO' as const, settledAt: null });
  const pix = charge.pix.map((one) => ({ ...one, refunds: one.refunds.map(refused) }));
  await settleCharge(context, id, { ...charge, pix });
  const told = async () =>
    (await noticesOf('returned_by_bank')).filter((one) => one.key.includes(endToEndId));
  t.same(await told(), [], 'nothing has gone back');
  await settle(id);
  await settle(id);
  t.match(await told(), [{ storeId: store.id, facts: { paymentId: id, endToEndId, amount: 300 } }]);
});

// The bank's day of the Pix that fits no payment.
let day = '';

t.test('a Pix that fits no payment is told once', async (t) => {
  await nextMorning();
  const id = newId();
  const terms = { amount: 1_000, expiresInSeconds: 3_600, storeId: store.id };
  const charge = await bench.pix.putCharge(txidOf(id), terms);
  const { body } = await system.bank('/bank/pay', { pixCopiaECola: charge.copyAndPaste });
  day = dayOf(new Date(body.horario));
  await timePasses(301);
  await reconcile(context);
  await timePasses(16 * 60);
  await settleSetAside(context, { limit: 50, leaseMs: 1_000 });
  const { endToEndId } = body;
  const facts = { endToEndId, bank: context.bank, amount: 1_000 };
  t.match(await noticesOf('unmatched_pix'), [{ key: endToEndId, storeId: null, facts }]);
});

t.test('a day that differs is told once, after its end', async (t) => {
  await settleAndCheckDay(context, day);
  t.same(await noticesOf('reconciliation_differs'), [], 'a day that is not over may still agree');
  await timePasses(2 * 86_400);
  await checkDay(context, day);
  t.same(await noticesOf('reconciliation_differs'), [], 'what a person sees may be on its way');
  const { differences } = await settleAndCheckDay(context, day);
  t.ok(differences.length > 0, 'the unmatched Pix');
  await settleAndCheckDay(context, day);
  const facts = { bank: context.bank, date: day, differences: differences.length };
  t.match(await noticesOf('reconciliation_differs'), [{ key: `${context.bank} ${day}`, facts }]);
});
