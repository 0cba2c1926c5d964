import { endPause, startPause } from '@payments/database/banks/banks';
import { listHistory } from '@payments/database/payments/history';
import type { StoredPayment } from '@payments/database/payments/payments';
import { listRefunds } from '@payments/database/refunds/refunds';
import { eventIdOf, newId, refundIdOf, txidOf } from '@payments/domain/identifiers';
import { openBanks } from '@payments/pix/banks';
import { PixRefused } from '@payments/pix/errors';
import { startBank } from '@payments/testing/bank';
import { call } from '@payments/testing/http';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { registerLate } from '../src/charges/follow-charge.ts';
import { atBankOf } from '../src/context.ts';
import { reconcile, reconcileReturned } from '../src/days/reconcile.ts';
import { recoverPayment } from '../src/pix/place-charge.ts';
import { settleCharge } from '../src/pix/settle-charge.ts';
import { carryOutRefunds } from '../src/refunds/carry-out.ts';
import { orderRefund } from '../src/refunds/order-refund.ts';
import { chargeOf, openBench } from './at-bank.ts';
import { accountsOf, bankIds, credentialsOf } from './histories/bank.ts';

// A restored database has forgotten what the bank knows.
const bench = await openBench(t, ({ context }) => reconcile(context));
const { context, db, pix, system } = bench;
const [first, second] = bankIds as [string, string];
const other = await startBank({ ...credentialsOf(second), key: 'second@example.com' });
const places = [
  { id: first, url: system.bankUrl, key: pix.key },
  { id: second, url: other.url, key: 'second@example.com' },
];
const banks = openBanks(accountsOf(places), { now: () => context.now().getTime() });
t.teardown(async () => {
  await banks.close();
  await other.close();
});
const at = (id: string) => atBankOf({ ...context, banks }, id);

const by = { name: null, via: 'api', reason: null, requestId: null } as const;
const searchAnew = () => db.deleteFrom('cursors').where('name', 'like', 'returned-pix-%').execute();
const pixOf = async ({ id }: StoredPayment) => (await chargeOf(bench, id)).pix[0]!;

t.test('a review that a person had rejected: its refund at the bank tells', async (t) => {
  const payment = await bench.review();
  const { endToEndId } = await pixOf(payment);
  const id = refundIdOf(endToEndId, 1);
  await pix.requestRefund(endToEndId, id, 500);
  await searchAnew();
  await reconcileReturned(context);
  t.match(await bench.payment(payment.id), { status: 'not_approved', amount: 1_000 });
  t.match((await listHistory(db, payment.id)).at(-1), { actor: 'refund', reason: 'refunded' });
  t.match(await listRefunds(db, payment.id), [{ id, origin: 'service', state: 'refunded' }]);
  await carryOutRefunds(context, { limit: 10 });
  t.equal((await bench.refundsAtBank(payment.id)).length, 1, 'nothing more goes back');
});

t.test('a review that the bank took back by itself (MED) stays in review', async (t) => {
  const payment = await bench.review();
  const { endToEndId } = await pixOf(payment);
  await system.bank('/bank/refunds', { endToEndId, valor: '5.00' });
  await searchAnew();
  await reconcileReturned(context);
  t.equal((await bench.payment(payment.id)).status, 'review');
  t.match(await listRefunds(db, payment.id), [{ origin: 'bank', state: 'refunded' }]);
});

t.test(
  'a refund that was made before and is ordered anew: the Pix by itself explains the refusal',
  async (t) => {
    const [payment] = await bench.create(1);
    const { id } = payment!;
    const endToEndId = await bench.pay(payment!);
    await settleCharge(context, id, await chargeOf(bench, id));
    const refundId = refundIdOf(endToEndId, 1);
    await pix.requestRefund(endToEndId, refundId, 400);
    await orderRefund(context, { paymentId: id, amount: 400, by });
    const used = new PixRefused('requestRefund', 409, { type: null, detail: 'id in use' });
    const lagging = {
      ...pix,
      requestRefund: () => Promise.reject(used),
      getCharge: async (txid: string) => {
        const charge = await pix.getCharge(txid);
        return charge && { ...charge, pix: charge.pix.map((one) => ({ ...one, refunds: [] })) };
      },
    };
    await carryOutRefunds({ ...context, pix: lagging }, { limit: 10, paymentId: id });
    t.match(
      await listRefunds(db, id),
      [{ id: refundId, state: 'refunded' }],
      'not failed, and not made again',
    );
    t.equal((await bench.payment(id)).amount, 600);
  },
);

t.test('a refund of ours is known as such, also after one that the bank had refused', async (t) => {
  const [payment] = await bench.create(1);
  const { id } = payment!;
  const endToEndId = await bench.pay(payment!);
  await pix.requestRefund(endToEndId, refundIdOf(endToEndId, 2), 400);
  await settleCharge(context, id, await chargeOf(bench, id));
  t.match(await listRefunds(db, id), [{ origin: 'service', ordinal: 2, state: 'refunded' }]);
  t.match(await orderRefund(context, { paymentId: id, amount: 100, by }), { ordinal: 3 });
});

/** A payment that a restored database has as waiting for its code. */
async function waiting(): Promise<StoredPayment> {
  await bench.faults({ status: 400, only: ['putCob'] });
  const [payment] = await bench.create(1);
  await bench.faults();
  return payment!;
}

const terms = { amount: 1_000, expiresInSeconds: 86_400 };

t.test('a code that was shown before stays the payment’s, whichever bank looks first', async (t) => {
  const payment = await waiting();
  const { copyAndPaste } = await at(second).pix.putCharge(txidOf(payment.id), terms);
  await registerLate(at(first), payment);
  t.match(await bench.payment(payment.id), { bank: second, copyAndPaste, chargeState: 'registered' });
  t.equal(await pix.getCharge(txidOf(payment.id)), null, 'the first bank was not asked for another');
  await call(`${other.url}/bank/pay`, { body: { pixCopiaECola: copyAndPaste } });
  await reconcile(at(second));
  t.equal((await bench.payment(payment.id)).status, 'approved');
  t.same(await listRefunds(db, payment.id), [], 'its Pix is no second one');
});

t.test('a code that was paid meanwhile approves, whichever bank looks first', async (t) => {
  const payment = await waiting();
  const { copyAndPaste } = await at(second).pix.putCharge(txidOf(payment.id), terms);
  await call(`${other.url}/bank/pay`, { body: { pixCopiaECola: copyAndPaste } });
  await registerLate(at(first), payment);
  t.match(await bench.payment(payment.id), { bank: second, status: 'approved' });
});

t.test('a code that was paid holds the payment, though the bank does not show its Pix yet', async (t) => {
  const payment = await waiting();
  const holder = at(second);
  const { copyAndPaste } = await holder.pix.putCharge(txidOf(payment.id), terms);
  await call(`${other.url}/bank/pay`, { body: { pixCopiaECola: copyAndPaste } });
  const getCharge = async (txid: string) => ({ ...(await holder.pix.getCharge(txid))!, pix: [] });
  const hiding = { ...banks.find(second)!, client: { ...holder.pix, getCharge } };
  const all = [banks.find(first)!, hiding];
  const find = (id: string) => all.find((one) => one.id === id);
  await registerLate({ ...at(first), banks: { all: () => all, find } }, payment);
  t.match(await bench.payment(payment.id), { bank: null, status: 'pending' });
  t.equal(await pix.getCharge(txidOf(payment.id)), null, 'the first bank was not asked for another');
  await reconcile(holder);
  t.match(await bench.payment(payment.id), { bank: second, status: 'approved' });
  t.same(await listRefunds(db, payment.id), []);
});

t.test('a bank that has no such charge, that does not answer or is paused is not waited for', async (t) => {
  const fine = await waiting();
  await registerLate(at(first), fine);
  t.equal((await bench.payment(fine.id)).bank, first);
  const hanging = await waiting();
  await call(`${other.url}/bank/faults`, { body: { status: 503, only: ['getCob'] } });
  await registerLate(at(first), hanging);
  await call(`${other.url}/bank/faults`, { body: {} });
  t.equal((await bench.payment(hanging.id)).bank, first);
  const paused = await waiting();
  await at(second).pix.putCharge(txidOf(paused.id), terms);
  await db
    .insertInto('banks')
    .values({ id: second, psp: 'bacen', knownSince: context.now() })
    .onConflict((oc) => oc.doNothing())
    .execute();
  await startPause(db, second, { reason: 'a test', now: context.now() });
  await registerLate(at(first), paused);
  await endPause(db, second, { now: context.now() });
  t.equal((await bench.payment(paused.id)).bank, first);
});

t.test('a lost payment whose charge names no expiry had a day to be paid (API Pix)', async (t) => {
  const id = newId(context.now());
  const { copyAndPaste } = await pix.putCharge(txidOf(id), { ...terms, storeId: bench.store.id });
  await system.bank('/bank/pay', { pixCopiaECola: copyAndPaste });
  const charge = { ...(await chargeOf(bench, id)), expiresInSeconds: null };
  await recoverPayment(context, id, charge);
  await settleCharge(context, id, charge);
  t.equal((await bench.payment(id)).status, 'approved');
});

t.test('a lost payment of yesterday is an event of now, so that the feed’s times grow', async (t) => {
  bench.stopClock(t);
  const now = context.now();
  const [createdAt, hourAgo] = [24, 1].map((hours) => new Date(now.getTime() - hours * 3_600_000));
  const id = newId(createdAt);
  await pix.putCharge(txidOf(id), { ...terms, storeId: bench.store.id });
  await recoverPayment(context, id, await chargeOf(bench, id));
  t.same((await bench.payment(id)).createdAt, createdAt);
  const event = await eventually('its event in the feed of the last hour', async () => {
    const path = `/api-public/events?limit=200&from=${hourAgo!.toISOString()}`;
    const { body } = await system.api(path, { token: bench.store.token });
    return (body.items as { paymentId: string }[]).find(({ paymentId }) => paymentId === id);
  });
  t.match(event, { id: eventIdOf(id, 1, 'pending'), occurredAt: now.toISOString() });
});
