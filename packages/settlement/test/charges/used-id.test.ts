import { listRefunds } from '@payments/database/refunds/refunds';
import type { PixClient } from '@payments/pix/client';
import { PixUnavailable } from '@payments/pix/errors';
import t from 'tap';
import { looksUntilBelieved } from '../../src/answers.ts';
import type { BankContext } from '../../src/context.ts';
import { settleCharge } from '../../src/pix/settle-charge.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out.ts';
import { orderRefund } from '../../src/refunds/order-refund.ts';
import { orderRefusedAgain } from '../../src/refunds/refused-refund.ts';
import { chargeOf, openBench } from '../at-bank.ts';

// A refusal after an earlier try may only mean that the id is in use, while the bank's copies lag.
const bench = await openBench(t, async (b, id) => settleCharge(b.context, id, await chargeOf(b, id)));
const { context, db, system, pix } = bench;
const by = { name: null, via: 'api', reason: null, requestId: null } as const;
const at = (other: Partial<PixClient>): BankContext => ({ ...context, pix: { ...pix, ...other } });

let offset = 0;
function timePasses(seconds: number) {
  bench.advance(seconds);
  offset += seconds;
  system.simulator.bank.clock.setOffset(offset * 1_000);
}

/** An approved payment of 10 reais, of which 3 are to go back. */
async function ordered() {
  const [payment] = await bench.create(1);
  await bench.pay(payment!);
  await settleCharge(context, payment!.id, await chargeOf(bench, payment!.id));
  await orderRefund(context, { paymentId: payment!.id, amount: 300, by });
  return payment!.id;
}

const lost = at({
  requestRefund: async (...refund) => {
    await pix.requestRefund(...refund);
    throw new PixUnavailable('requestRefund', 'timeout');
  },
});
const notAsked = () => Promise.reject(new PixUnavailable('getRefund', 'breaker-open'));
const down = at({ getRefund: notAsked, requestRefund: notAsked, getCharge: notAsked });
// The bank's books have the refund, and refuse its id. No copy shows it.
const lagging = at({
  getRefund: async () => null,
  getPix: async (endToEndId) => ({ ...(await pix.getPix(endToEndId))!, refunds: [] }),
  getCharge: async (txid) => {
    const charge = await pix.getCharge(txid);
    return charge && { ...charge, pix: charge.pix.map((one) => ({ ...one, refunds: [] })) };
  },
});

const carryOut = (where: BankContext, paymentId: string) => carryOutRefunds(where, { limit: 10, paymentId });

/** Works for a time, as the dispatcher does. */
async function work(where: BankContext, id: string, seconds: number) {
  for (let passed = 0; passed < seconds; passed += 10) {
    timePasses(10);
    await carryOut(where, id);
    await orderRefusedAgain(where, 10);
  }
}

t.test('tries in which the bank was not asked prove nothing: the refund is not made twice', async (t) => {
  const id = await ordered();
  await carryOut(lost, id);
  for (let claims = 0; claims < 10; claims += 1) {
    timePasses(601);
    await carryOut(down, id);
  }
  timePasses(601);
  await work(lagging, id, 4 * 60);
  t.match(await listRefunds(db, id), { length: 1, 0: { state: 'requested', amount: 300 } });
  await work(context, id, 20 * 60);
  t.match(await listRefunds(db, id), { length: 1, 0: { state: 'refunded', amount: 300 } });
  t.match(await bench.refundsAtBank(id), { length: 1, 0: { valor: '3.00' } });
  t.match(await bench.payment(id), { status: 'approved', amount: 700 });
});

t.test('a bank that shows it after a look clears the doubt', async (t) => {
  const id = await ordered();
  await carryOut(lost, id);
  timePasses(10);
  await carryOut(lagging, id);
  t.match(await listRefunds(db, id), [{ state: 'requested', looks: 1 }]);
  timePasses(41);
  await carryOut(context, id);
  t.match(await listRefunds(db, id), { length: 1, 0: { state: 'refunded', looks: 0 } });
});

t.test('a refusal is believed after several looks some time apart', async (t) => {
  const id = await ordered();
  const hung = () => Promise.reject(new PixUnavailable('requestRefund', 'timeout'));
  await carryOut(at({ requestRefund: hung }), id);
  await bench.faults({ status: 400, only: ['putDevolucao'] });
  for (let looks = 1; looks < looksUntilBelieved; looks += 1) {
    timePasses(601);
    await carryOut(context, id);
    t.equal(await carryOut(context, id), 0, 'not at once');
    t.match(await listRefunds(db, id), [{ state: 'requested', looks }]);
  }
  timePasses(601);
  await carryOut(context, id);
  await bench.faults();
  t.match(await listRefunds(db, id), [
    { state: 'failed', looks: 0, lastError: { code: 'refused', detail: /^400/ }, orderAgainAt: Date },
  ]);
});
