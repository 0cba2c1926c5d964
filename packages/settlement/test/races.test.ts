import { txidOf } from '@payments/domain/identifiers';
import { pauseOn } from '@payments/testing/pause';
import t from 'tap';
import { expirePayment } from '../src/charges/expire.ts';
import { decide, timeOutReview } from '../src/decide.ts';
import { settleCharge } from '../src/pix/settle-charge.ts';
import { carryOutRefunds } from '../src/refunds/carry-out.ts';
import { openBench } from './at-bank.ts';

// Concurrent decisions on a payment: one waits inside its transaction while the other arrives.
const settle = async (id: string) => settleCharge(context, id, (await pix.getCharge(txidOf(id)))!);
const bench = await openBench(t, (_bench, id) => settle(id));
const { context, pix, system } = bench;
const url = system.env.DATABASE_URL!;

const administrator = { name: null, via: 'api', reason: null, requestId: null } as const;
const decision = (paymentId: string, to: 'approved' | 'not_approved') =>
  decide(context, { paymentId, to, by: administrator });
const overdue = () => new Date(context.now().getTime() + 1_000);
const detailOf = async (id: string) => (await system.admin(`/admin/payments/${id}`)).body;
const storyOf = async (id: string) =>
  (await detailOf(id)).events.map(({ status, actor }) => `${actor} ${status}`);
const inTransit = (id: string, to: string) =>
  pauseOn(url, 'after update on payments', `new.id = '${id}' and new.status = '${to}'`);

/** A payment that has expired and is paid all the same. */
async function paidAtExpiry() {
  const [payment] = await bench.create(1);
  await bench.pay(payment!);
  return { ...payment!, expiresAt: new Date(0) };
}

t.test('a Pix arrives as an administrator cancels: the money waits in review', async (t) => {
  const { id } = await paidAtExpiry();
  const pause = await inTransit(id, 'not_approved');
  const cancelling = decision(id, 'not_approved');
  await pause.reached();
  const settling = settle(id);
  await pause.waiters(2);
  await pause.end();
  await Promise.all([cancelling, settling]);
  t.same(await storyOf(id), ['store pending', 'administrator not_approved', 'psp review']);
});

t.test('an administrator cancels as a Pix arrives: refused, and approved', async (t) => {
  const { id } = await paidAtExpiry();
  const pause = await inTransit(id, 'approved');
  const settling = settle(id);
  await pause.reached();
  const cancelling = decision(id, 'not_approved').catch((error: Error) => error.name);
  await pause.waiters(2);
  await pause.end();
  await settling;
  t.equal(await cancelling, 'TransitionRefused');
  t.same(await storyOf(id), ['store pending', 'psp approved']);
});

t.test('the bank reports one Pix twice at once: it counts once', async (t) => {
  const { id } = await paidAtExpiry();
  const pause = await pauseOn(url, 'after insert on pix_received');
  const first = settle(id);
  await pause.reached();
  const second = settle(id);
  await pause.waiters(2);
  await pause.end();
  t.same([(await first)?.newPix, (await second)?.newPix], [1, 0]);
  t.same(await storyOf(id), ['store pending', 'psp approved']);
});

t.test('a charge expires as its Pix arrives: the expiry finds it approved', async (t) => {
  const payment = await paidAtExpiry();
  const pause = await inTransit(payment.id, 'approved');
  const settling = settle(payment.id);
  await pause.reached();
  const expiring = expirePayment(context, payment);
  await pause.waiters(2);
  await pause.end();
  await Promise.all([settling, expiring]);
  t.same(await storyOf(payment.id), ['store pending', 'psp approved']);
});

t.test('a Pix that was paid in time arrives as its charge is closed: it approves', async (t) => {
  const [payment] = await bench.create(1);
  bench.advance(90_000);
  const pause = await inTransit(payment!.id, 'not_approved');
  const expiring = expirePayment(context, payment!);
  await pause.reached();
  await bench.pay(payment!);
  const settling = settle(payment!.id);
  await pause.waiters(2);
  await pause.end();
  await Promise.all([expiring, settling]);
  t.same(await storyOf(payment!.id), ['store pending', 'expiry not_approved', 'psp approved']);
});

t.test('a charge expires as an administrator cancels it: one of them, once', async (t) => {
  const [payment] = await bench.create(1);
  bench.advance(90_000);
  const pause = await inTransit(payment!.id, 'not_approved');
  const expiring = expirePayment(context, payment!);
  await pause.reached();
  const cancelling = decision(payment!.id, 'not_approved').catch((error: Error) => error.name);
  await pause.waiters(2);
  await pause.end();
  await expiring;
  t.equal(await cancelling, 'TransitionRefused');
  t.same(await storyOf(payment!.id), ['store pending', 'expiry not_approved']);
});

t.test('a review times out as an administrator approves it: nothing goes back', async (t) => {
  const { id } = await bench.review();
  const pause = await inTransit(id, 'approved');
  const approving = decision(id, 'approved');
  await pause.reached();
  const timingOut = timeOutReview(context, id, overdue());
  await pause.waiters(2);
  await pause.end();
  await approving;
  t.equal(await timingOut, false);
  t.same((await detailOf(id)).refunds, []);
  t.same(await storyOf(id), ['store pending', 'psp review', 'administrator approved']);
});

t.test('an administrator approves a review as it times out: refused, and it goes back once', async (t) => {
  const { id } = await bench.review();
  const pause = await pauseOn(url, 'after insert on refunds');
  const timingOut = timeOutReview(context, id, overdue());
  await pause.reached();
  const approving = decision(id, 'approved').catch((error: Error) => error.message);
  await pause.waiters(2);
  await pause.end();
  t.equal(await timingOut, true);
  t.equal(await approving, 'beingRefunded');
  await carryOutRefunds(context, { limit: 10, paymentId: id });
  t.match(await bench.refundsAtBank(id), [{ valor: '5.00', status: 'DEVOLVIDO' }]);
  t.same(await storyOf(id), ['store pending', 'psp review', 'review-timeout not_approved']);
});

t.test('a review times out as an administrator rejects it: one refund', async (t) => {
  const { id } = await bench.review();
  const pause = await inTransit(id, 'not_approved');
  const rejecting = decision(id, 'not_approved');
  await pause.reached();
  const timingOut = timeOutReview(context, id, overdue());
  await pause.waiters(2);
  await pause.end();
  await rejecting;
  t.equal(await timingOut, false);
  t.match((await detailOf(id)).refunds, [{ reason: 'rejected' }]);
  t.equal((await detailOf(id)).refunds.length, 1);
});

t.test('two dispatchers time out one review at once: one refund', async (t) => {
  const { id } = await bench.review();
  const pause = await pauseOn(url, 'after insert on refunds');
  const first = timeOutReview(context, id, overdue());
  await pause.reached();
  const second = timeOutReview(context, id, overdue());
  await pause.waiters(2);
  await pause.end();
  t.same([await first, await second], [true, false]);
  t.equal((await detailOf(id)).refunds.length, 1);
});

t.test('two dispatchers make one refund at once: the bank gets one request', async (t) => {
  const { id } = await bench.review();
  await timeOutReview(context, id, overdue());
  const pause = await pauseOn(url, 'after update on refunds', 'new.tries > old.tries');
  const first = carryOutRefunds(context, { limit: 10, paymentId: id });
  await pause.reached();
  t.equal(
    await carryOutRefunds(context, { limit: 10, paymentId: id }),
    0,
    'a refund that is being claimed is skipped',
  );
  await pause.end();
  t.equal(await first, 1);
  t.equal((await bench.refundsAtBank(id)).length, 1);
});

t.test('an administrator rejects a review as the bank accepts its refund: it ends once', async (t) => {
  const { id } = await bench.review();
  await timeOutReview(context, id, overdue());
  const pause = await inTransit(id, 'not_approved');
  const refunding = carryOutRefunds(context, { limit: 10, paymentId: id });
  await pause.reached();
  const rejecting = decision(id, 'not_approved').catch((error: Error) => error.name);
  await pause.waiters(2);
  await pause.end();
  await refunding;
  t.equal(await rejecting, 'TransitionRefused');
  t.same(await storyOf(id), ['store pending', 'psp review', 'review-timeout not_approved']);
  t.equal((await bench.refundsAtBank(id)).length, 1);
});
