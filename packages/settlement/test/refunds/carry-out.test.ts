import { listHistory } from '@payments/database/payments/history';
import { listRefunds } from '@payments/database/refunds/refunds';
import { eventually } from '@payments/testing/patience';
import t from 'tap';
import { timeOutReview } from '../../src/decide.ts';
import { settleCharge } from '../../src/pix/settle-charge.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out.ts';
import { orderRefusedAgain } from '../../src/refunds/refused-refund.ts';
import { chargeOf, openBench } from '../at-bank.ts';

const settle = async (b: typeof bench, id: string) => settleCharge(b.context, id, await chargeOf(b, id));
// One call hangs until the time for the bank is over.
const bench = await openBench(t, (b, id) => settle(b, id), {}, {}, 10_000);
const { context, db } = bench;
const carryOut = (paymentId: string) => carryOutRefunds(context, { limit: 10, paymentId });
const soon = () => new Date(context.now().getTime() + 1_000);
const timeOut = (id: string) => timeOutReview(context, id, soon());

/** A review whose refund was ordered. */
async function timedOut() {
  const { id } = await bench.review();
  await timeOut(id);
  return id;
}

const inReview = ['pending', 'review'];

/** @returns what the payment's events tell: its statuses, and those of its refunds */
async function told(id: string): Promise<string[]> {
  return (await listHistory(db, id)).map(({ status, refund }) => refund?.status ?? status);
}

t.test('ten replicas time out one review and make its refund at once: one order, one refund', async (t) => {
  const { id } = await bench.review();
  const ordered = await Promise.all(Array.from({ length: 10 }, () => timeOut(id)));
  t.equal(ordered.filter(Boolean).length, 1);
  const carried = await Promise.all(Array.from({ length: 10 }, () => carryOut(id)));
  t.equal(
    carried.reduce((sum, count) => sum + count, 0),
    1,
  );
  t.match(await bench.refundsAtBank(id), { length: 1, 0: { valor: '5.00', status: 'DEVOLVIDO' } });
  t.equal((await bench.payment(id)).status, 'not_approved');
  t.strictSame(
    await told(id),
    [...inReview, 'requested', 'refunded', 'not_approved'],
    'each told once, in order',
  );
});

t.test('a review that is not overdue, or has ended, is not timed out', async (t) => {
  const { id } = await bench.review();
  t.equal(await timeOutReview(context, id, new Date(context.now().getTime() - 60_000)), false);
  t.equal(await timeOut(id), true);
  t.equal(await timeOut(id), false, 'again changes nothing');
  await carryOut(id);
  t.equal(await timeOut(id), false);
  t.equal((await listRefunds(db, id)).length, 1);
});

t.test(
  'killed between the PSP’s refund and our commit: the refund is found there, not made again',
  async (t) => {
    const id = await timedOut();
    // The commit fails as if the process had ended there: the bank has the refund, the database does not.
    const rename = (from: string, to: string) =>
      db.schema.alterTable('payments').renameColumn(from, to).execute();
    await rename('reviewSince', 'gone');
    await carryOut(id);
    await rename('gone', 'reviewSince');
    t.equal((await bench.refundsAtBank(id)).length, 1);
    t.match(await listRefunds(db, id), [{ state: 'requested' }]);
    t.equal((await bench.payment(id)).status, 'review');

    bench.advance(60);
    await carryOut(id);
    t.equal((await bench.refundsAtBank(id)).length, 1);
    t.match(await listRefunds(db, id), [{ state: 'refunded' }]);
    t.equal((await bench.payment(id)).status, 'not_approved');
  },
);

t.test('the bank makes the refund and its response is lost repeatedly: one refund', async (t) => {
  const id = await timedOut();
  await bench.faults({ loseRefundAnswers: true });
  await carryOut(id);
  t.equal((await bench.refundsAtBank(id)).length, 1);
  t.equal((await bench.payment(id)).status, 'review', 'nothing is known yet');
  await bench.faults({ loseRefundAnswers: true, status: 503, only: ['getDevolucao'] });
  bench.advance(60);
  await carryOut(id);
  await bench.faults();
  // The client spares a bank that failed for a second of its own clock.
  await eventually('the bank to be asked again', async () => {
    bench.advance(600);
    await carryOut(id);
    return (await bench.payment(id)).status === 'not_approved' || undefined;
  });
  t.equal((await bench.refundsAtBank(id)).length, 1);
});

t.test('the bank never got the request: it is repeated under the same id', async (t) => {
  for (const fault of [{ hang: true }, { disconnect: true }, { status: 503 }]) {
    const id = await timedOut();
    const [ordered] = await listRefunds(db, id);
    await bench.faults({ ...fault, only: ['putDevolucao'], times: 1 });
    await carryOut(id);
    t.equal((await bench.refundsAtBank(id)).length, 0);
    bench.advance(60);
    await carryOut(id);
    t.match(await bench.refundsAtBank(id), { length: 1, 0: { id: ordered!.id, status: 'DEVOLVIDO' } });
  }
});

t.test('EM_PROCESSAMENTO is checked until it ends, without a callback', async (t) => {
  for (const [outcome, state] of [
    [{}, 'refunded'],
    [{ refuseRefunds: true }, 'failed'],
  ] as const) {
    const id = await timedOut();
    await bench.faults({ slowRefundsMs: 600_000, ...outcome });
    await carryOut(id);
    await bench.faults();
    t.match(await listRefunds(db, id), [{ state: 'processing' }]);
    t.equal((await bench.payment(id)).status, 'not_approved', 'the PSP has accepted it');
    t.equal(await carryOut(id), 0, 'not at once');
    bench.advance(5);
    t.equal(await carryOut(id), 1);
    t.match(await listRefunds(db, id), [{ state: 'processing' }]);
    await bench.system.bank('/bank/clock', { advanceSeconds: 601 });
    bench.advance(5);
    t.equal(await carryOut(id), 0, 'the pauses grow');
    bench.advance(5);
    await carryOut(id);
    await bench.system.bank('/bank/clock', {});
    t.match(await listRefunds(db, id), [{ state }]);
    t.equal(await carryOut(id), 0, 'a refund in a final state is not checked');
    t.strictSame(await told(id), [...inReview, 'requested', 'processing', 'not_approved', state]);
  }
});

t.test('NAO_REALIZADO is logged as an error with its ids and the bank’s reason', async (t) => {
  const id = await timedOut();
  await bench.faults({ refuseRefunds: true });
  bench.lines.length = 0;
  await carryOut(id);
  await bench.faults();
  const [refund] = await listRefunds(db, id);
  t.match(refund, { state: 'failed', lastError: { code: 'told', detail: 'Recusada pelo PSP do pagador' } });
  const errors = bench.lines.filter(({ level }) => level >= 50);
  t.match(errors, [
    {
      msg: 'the PSP did not make a refund',
      paymentId: id,
      refundId: refund?.id,
      endToEndId: refund?.endToEndId,
      reason: 'Recusada pelo PSP do pagador',
    },
  ]);
  t.notMatch(JSON.stringify(bench.lines), /secret|Bearer/);
  t.equal((await bench.payment(id)).status, 'review');
});

t.test('a Pix that came meanwhile is read from the charge', async (t) => {
  const id = await timedOut();
  await bench.faults({ slowRefundsMs: 600_000 });
  await carryOut(id);
  await bench.faults();
  await bench.system.bank('/bank/clock', { advanceSeconds: 601 });
  await settle(bench, id);
  await bench.system.bank('/bank/clock', {});
  t.match(await listRefunds(db, id), [{ state: 'refunded', origin: 'service' }]);
  bench.advance(60);
  t.equal(await carryOut(id), 0);
});

t.test('a charge that shows our refund before its response is recorded ends the review', async (t) => {
  const id = await timedOut();
  await bench.faults({ loseRefundAnswers: true });
  await carryOut(id);
  await bench.faults();
  await settle(bench, id);
  t.match(await listRefunds(db, id), [{ state: 'refunded', origin: 'service' }]);
  t.equal((await bench.payment(id)).status, 'not_approved');
  t.equal((await bench.refundsAtBank(id)).length, 1);
});

t.test('the pauses between tries grow to ten minutes and no further', async (t) => {
  bench.stopClock(t);
  const id = await timedOut();
  await bench.faults({ status: 429, only: ['putDevolucao'] });
  const pauses: number[] = [];
  for (let tried = 0; tried < 12; tried += 1) {
    await carryOut(id);
    const { tryAt } = await db
      .selectFrom('refunds')
      .select('tryAt')
      .where('paymentId', '=', id)
      .executeTakeFirstOrThrow();
    const seconds = (tryAt!.getTime() - context.now().getTime()) / 1_000;
    pauses.push(seconds);
    bench.advance(seconds + 1);
  }
  await bench.faults();
  t.same(pauses, [2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600, 600]);
  t.match(await listRefunds(db, id), [{ state: 'requested', lastError: { code: 'status' } }]);
});

t.test(
  'a refund that the bank refuses with a 4xx has failed, and is ordered again under a new id',
  async (t) => {
    const id = await timedOut();
    await bench.faults({ status: 422, only: ['putDevolucao'] });
    await carryOut(id);
    const [refused] = await listRefunds(db, id);
    t.match(refused, { state: 'failed', lastError: { code: 'refused', detail: /^422/ } });
    t.ok(refused?.orderAgainAt);
    await bench.faults();
    bench.advance(61);
    await orderRefusedAgain(context, 10);
    await carryOut(id);
    t.match(await listRefunds(db, id), [{ state: 'failed' }, { state: 'refunded', replaces: refused!.id }]);
    t.equal((await bench.payment(id)).status, 'not_approved');
  },
);

t.test('a 4xx after a try without a response is not believed at once', async (t) => {
  const id = await timedOut();
  await bench.faults({ disconnect: true, only: ['putDevolucao'] });
  await carryOut(id);
  await bench.faults({ status: 400, only: ['putDevolucao'] });
  bench.advance(60);
  await carryOut(id);
  t.match(await listRefunds(db, id), [
    { state: 'requested', lastError: { code: 'refused', detail: /^400/ } },
  ]);
  await bench.faults();
  bench.advance(60);
  await carryOut(id);
  t.match(await bench.refundsAtBank(id), { length: 1, 0: { status: 'DEVOLVIDO' } });
});
