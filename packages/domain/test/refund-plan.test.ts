import t from 'tap';
import { isReturnUnderWay, planRefunds } from '../src/refund-plan.ts';
import type { MoneyFacts, PixKept, RefundRecord } from '../src/refunds.ts';

const now = new Date('2026-11-23T12:00:00Z');
const options = { retrySeconds: [60, 600], now };
const first: PixKept = { endToEndId: 'E1', amount: 1_000, counts: true };
const second: PixKept = { endToEndId: 'E2', amount: 700, counts: false };

let made = 0;
const refund = (fields: Partial<RefundRecord>): RefundRecord => {
  made += 1;
  const amount = fields.amount ?? 1_000;
  return {
    id: `R${made}`,
    endToEndId: 'E1',
    origin: 'service',
    state: 'failed',
    amount,
    wanted: amount,
    reason: 'review_timeout',
    replaces: null,
    reorders: 0,
    updatedAt: now,
    ...fields,
  };
};
const med = (amount: number, state: RefundRecord['state']) =>
  refund({ origin: 'bank', amount, state, reason: 'MED_FRAUDE' });
const facts = (
  status: MoneyFacts['payment']['status'],
  refunds: readonly RefundRecord[],
  { pix = [first], isTimedOut = false }: { pix?: PixKept[]; isTimedOut?: boolean } = {},
): MoneyFacts => ({ payment: { status, charged: 1_000, isTimedOut }, pix, refunds });
const after = (seconds: number) => new Date(now.getTime() + seconds * 1_000);

t.test('nothing goes back of an approved, reviewed or paid-out payment', async (t) => {
  for (const status of ['approved', 'paid', 'review', 'receipt_sent', 'rejected'] as const)
    t.same(planRefunds(facts(status, []), options), [], status);
});

t.test('a second Pix goes back whole in every status', async (t) => {
  for (const status of ['approved', 'review', 'receipt_sent', 'not_approved'] as const) {
    const plan = planRefunds(facts(status, [med(1_000, 'refunded')], { pix: [first, second] }), options);
    t.match(plan, [{ endToEndId: 'E2', amount: 700, reason: 'second_pix', at: now, replaces: null }], status);
  }
});

t.test('a review that timed out, or was rejected, gives back what is left', async (t) => {
  const timedOut = planRefunds(facts('review', [med(400, 'processing')], { isTimedOut: true }), options);
  t.match(timedOut, [{ amount: 600, reason: 'review_timeout', at: now }]);
  t.match(planRefunds(facts('not_approved', []), options), [{ amount: 1_000, reason: 'rejected', at: now }]);
});

t.test('a refund in progress, or made, is not ordered twice', async (t) => {
  for (const state of ['requested', 'processing', 'refunded'] as const)
    t.same(planRefunds(facts('not_approved', [refund({ state })]), options), [], state);
});

t.test('a refused refund is ordered again after a pause that depends on its refusals', async (t) => {
  const refused = refund({});
  t.match(planRefunds(facts('not_approved', [refused]), options), [
    { amount: 1_000, replaces: refused.id, reorders: 1, at: after(60), reason: 'review_timeout' },
  ]);
  const again = refund({ replaces: refused.id, reorders: 1 });
  t.match(planRefunds(facts('not_approved', [refused, again]), options), [
    { replaces: again.id, reorders: 2, at: after(600) },
  ]);
  const last = refund({ replaces: again.id, reorders: 2 });
  t.match(planRefunds(facts('not_approved', [refused, again, last]), options), [
    { replaces: last.id, amount: 1_000, at: null },
  ]);
});

t.test('a failed MED leaves owed what our refund no longer covers', async (t) => {
  const ours = refund({ state: 'refunded', amount: 600, wanted: 1_000 });
  const plan = planRefunds(facts('not_approved', [ours, med(400, 'failed')]), options);
  t.match(plan, [{ amount: 400, replaces: null, at: now }]);
});

t.test('of an approved payment, what a person ordered goes back, up to what is left', async (t) => {
  const order = (amount: number, fields: Partial<RefundRecord> = {}) =>
    refund({ reason: 'administrator', amount, ...fields });
  const [part, whole] = [order(300), order(1_000)];
  t.match(planRefunds(facts('approved', [part]), options), [{ amount: 300, replaces: part.id }]);
  t.match(planRefunds(facts('paid', [part, whole]), options), [
    { amount: 300, replaces: part.id },
    { amount: 700, replaces: whole.id },
  ]);
  t.same(planRefunds(facts('approved', [part, med(1_000, 'refunded')]), options), []);
  t.same(planRefunds(facts('receipt_sent', [part]), options), [], 'paid out: nothing more');
  const besideMed = planRefunds(facts('approved', [order(600), med(401, 'processing')]), options);
  t.match(besideMed, [{ amount: 599, wanted: 600 }], 'a MED that fails leaves all of it to go back');
  for (const state of ['requested', 'processing'] as const) {
    const inProgress = order(599, { state, wanted: 600 });
    t.same(planRefunds(facts('approved', [inProgress, med(401, 'failed')]), options), [], state);
  }
  const afterMed = order(599, { wanted: 600 });
  t.match(planRefunds(facts('approved', [afterMed, med(401, 'failed')]), options), [{ amount: 600 }]);
  const reduced = order(600, { state: 'refunded', wanted: 1_000 });
  t.match(planRefunds(facts('approved', [reduced, med(400, 'failed')]), options), [
    { amount: 400, replaces: reduced.id, at: now },
  ]);
});

t.test('a time-out whose refund was refused is dropped once the review is approved', async (t) => {
  t.same(planRefunds(facts('approved', [refund({})]), options), []);
});

const underWay: [name: string, given: MoneyFacts, isUnderWay: boolean][] = [
  ['nothing', facts('approved', []), false],
  ['ours requested', facts('approved', [refund({ state: 'requested' })]), true],
  ['the bank’s in process', facts('approved', [med(1, 'processing')]), true],
  ['all made', facts('approved', [med(1, 'refunded')]), false],
  ['refused, to be ordered again', facts('approved', [refund({ reason: 'administrator' })]), true],
  ['refused for good, and owed', facts('approved', [refund({ reason: 'administrator', reorders: 2 })]), true],
  [
    'a second Pix refused',
    facts('approved', [refund({ endToEndId: 'E2', amount: 700 })], { pix: [first, second] }),
    false,
  ],
];
for (const [name, given, isUnderWay] of underWay) {
  t.test(`on its way back: ${name}`, async (t) =>
    t.equal(isReturnUnderWay(given, planRefunds(given, options)), isUnderWay),
  );
}
