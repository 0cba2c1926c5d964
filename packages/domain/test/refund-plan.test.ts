import t from 'tap';
import { isReturnUnderWay, orderableAmount, ordersThatEnd, planRefunds } from '../src/refund-plan.ts';
import type { MoneyFacts, PixKept, RefundRecord } from '../src/refunds.ts';

const now = new Date('2026-11-23T12:00:00Z');
const options = { retrySeconds: [60, 600], now };
const paidAt = new Date('2026-11-23T11:00:00Z');
const first: PixKept = { endToEndId: 'E1', amount: 1_000, counts: true, paidAt };
const second: PixKept = { endToEndId: 'E2', amount: 700, counts: false, paidAt };

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
    exact: false,
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
// `match` takes any date for another, but compares it with a text.
const nowText = now.toISOString();
const textAfter = (seconds: number) => new Date(now.getTime() + seconds * 1_000).toISOString();

t.test('nothing goes back of an approved, reviewed or paid-out payment', async (t) => {
  for (const status of ['approved', 'paid', 'review', 'receipt_sent', 'rejected'] as const)
    t.same(planRefunds(facts(status, []), options), [], status);
});

t.test('a second Pix goes back whole in every status', async (t) => {
  for (const status of ['approved', 'review', 'receipt_sent', 'not_approved'] as const) {
    const plan = planRefunds(facts(status, [med(1_000, 'refunded')], { pix: [first, second] }), options);
    t.match(
      plan,
      [{ endToEndId: 'E2', amount: 700, reason: 'second_pix', at: nowText, replaces: null }],
      status,
    );
  }
});

t.test('a review that timed out, or was rejected, gives back what is left', async (t) => {
  const timedOut = planRefunds(facts('review', [med(400, 'processing')], { isTimedOut: true }), options);
  t.match(timedOut, [{ amount: 600, reason: 'review_timeout', at: nowText }]);
  t.match(planRefunds(facts('not_approved', []), options), [
    { amount: 1_000, reason: 'rejected', at: nowText },
  ]);
});

t.test('a refund in progress, or made, is not ordered twice', async (t) => {
  for (const state of ['requested', 'processing', 'refunded'] as const)
    t.same(planRefunds(facts('not_approved', [refund({ state })]), options), [], state);
});

t.test('a refused refund is ordered again after a pause that depends on its refusals', async (t) => {
  const refused = refund({});
  t.match(planRefunds(facts('not_approved', [refused]), options), [
    { amount: 1_000, replaces: refused.id, reorders: 1, at: textAfter(60), reason: 'review_timeout' },
  ]);
  const again = refund({ replaces: refused.id, reorders: 1 });
  t.match(planRefunds(facts('not_approved', [refused, again]), options), [
    { replaces: again.id, reorders: 2, at: textAfter(600) },
  ]);
  const last = refund({ replaces: again.id, reorders: 2 });
  t.match(planRefunds(facts('not_approved', [refused, again, last]), options), [
    { replaces: last.id, amount: 1_000, at: null },
  ]);
});

t.test('what a person’s order gave back is not ordered again', async (t) => {
  const order = (fields: Partial<RefundRecord>) =>
    refund({ reason: 'administrator', amount: 300, ...fields });
  t.same(planRefunds(facts('approved', [order({ state: 'refunded' })]), options), []);
  const refused = order({});
  const again = order({ state: 'refunded', replaces: refused.id });
  t.same(planRefunds(facts('approved', [refused, again]), options), [], 'made at the second order');
  t.same(planRefunds(facts('approved', [again, order({ replaces: 'another' })]), options).length, 1);
});

t.test('what a refund gave back less is ordered at once', async (t) => {
  const reduced = refund({ reason: 'administrator', state: 'refunded', amount: 600, wanted: 1_000 });
  t.strictSame(planRefunds(facts('approved', [reduced, med(400, 'failed')]), options), [
    {
      endToEndId: 'E1',
      amount: 400,
      wanted: 400,
      exact: false,
      reason: 'administrator',
      replaces: reduced.id,
      reorders: 0,
      at: now,
      isTooLate: false,
    },
  ]);
});

t.test('a refused refund of one Pix says nothing of another', async (t) => {
  const order = refund({ reason: 'administrator', amount: 300 });
  t.match(planRefunds(facts('approved', [order], { pix: [first, second] }), options), [
    { endToEndId: 'E1', amount: 300, replaces: order.id },
    { endToEndId: 'E2', amount: 700, replaces: null, reason: 'second_pix', reorders: 0 },
  ]);
});

t.test('a failed MED leaves owed what our refund no longer covers', async (t) => {
  const ours = refund({ state: 'refunded', amount: 600, wanted: 1_000 });
  const plan = planRefunds(facts('not_approved', [ours, med(400, 'failed')]), options);
  t.match(plan, [{ amount: 400, replaces: null, at: nowText }]);
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
    { amount: 400, replaces: reduced.id, at: nowText },
  ]);
});

const named = (amount: number, fields: Partial<RefundRecord> = {}) =>
  refund({ reason: 'administrator', amount, exact: true, ...fields });
const all = (amount: number) => refund({ reason: 'administrator', amount });

type NamedCase = [name: string, refunds: RefundRecord[], planned: number[], ended: number[]];
const namedAmounts: NamedCase[] = [
  ['fits', [named(600)], [600], []],
  ['fits to the centavo', [named(600), med(400, 'refunded')], [600], []],
  ['fits no more', [named(600), med(401, 'refunded')], [], [600]],
  ['fits no more beside a return in process', [named(600), med(401, 'processing')], [], [600]],
  ['fits, since that return failed', [named(600), med(401, 'failed')], [600], []],
  ['has ended: a return that fails later does not revive it', [named(600, { wanted: 0 })], [], []],
  ['nothing is left', [named(600), med(1_000, 'refunded')], [], [600]],
  ['named all that was left', [named(1_000), med(1, 'refunded')], [], [1_000]],
  ['all that is left follows', [all(1_000), med(1, 'refunded')], [999], []],
  ['all that is left yields to a named amount', [all(700), named(300), med(100, 'refunded')], [300, 600], []],
  ['of two the older one fits', [named(600), named(400), med(200, 'refunded')], [600], [400]],
  ['the younger one fits', [named(600), named(400), med(500, 'refunded')], [400], [600]],
  ['it is ordered once, though it would fit twice', [named(300)], [300], []],
  [
    'orders of all share what is left, and the last gets nothing',
    [all(600), all(600), all(9)],
    [600, 400],
    [],
  ],
  ['in progress it is left alone', [named(600, { state: 'requested' }), med(401, 'refunded')], [], []],
  ['made, it is no order', [named(600, { state: 'refunded' }), med(400, 'refunded')], [], []],
];
for (const [name, refunds, planned, ended] of namedAmounts) {
  t.test(`a named amount is never cut: ${name}`, async (t) => {
    const plan = planRefunds(facts('approved', refunds), options);
    t.same(
      plan.map(({ amount }) => amount),
      planned,
    );
    t.same(
      ordersThatEnd(refunds, plan).map(({ amount }) => amount),
      ended,
    );
    const isUnderWay = refunds.some(({ state }) => state === 'requested' || state === 'processing');
    t.equal(isReturnUnderWay(facts('approved', refunds), plan), planned.length > 0 || isUnderWay);
  });
}

t.test('a named amount stays one when it is ordered again, and a replaced one does not end', async (t) => {
  const [refused, again] = [named(600), named(600, { reorders: 1, state: 'requested' })];
  t.match(planRefunds(facts('approved', [refused]), options), [{ exact: true, replaces: refused.id }]);
  const replaced = [refused, { ...again, replaces: refused.id }];
  t.same(ordersThatEnd(replaced, planRefunds(facts('approved', replaced), options)), []);
});

t.test('what a payment that is not approved gives back replaces no ended order', async (t) => {
  const plan = planRefunds(facts('not_approved', [named(600, { wanted: 0 })]), options);
  t.match(plan, [{ amount: 1_000, exact: false, replaces: null, reason: 'rejected', at: nowText }]);
});

// The 90th day after 23 November is 21 February; the day ends at 3:00 UTC.
const lastMoment = new Date('2027-02-22T02:59:59.999Z');
const tooLate = new Date('2027-02-22T03:00:00Z');
type LateCase = [
  name: string,
  given: MoneyFacts,
  at: Date,
  planned: { at: Date | null; isTooLate: boolean; replaces?: string | null },
];
const refusedAt = (updatedAt: Date) => refund({ updatedAt });
const late: LateCase[] = [
  ['ordered on the 90th day', facts('not_approved', []), lastMoment, { at: lastMoment, isTooLate: false }],
  ['owed after it', facts('not_approved', []), tooLate, { at: null, isTooLate: true, replaces: null }],
  ['owed after a refusal', facts('not_approved', [refund({})]), tooLate, { at: null, isTooLate: true }],
  [
    'owed at once if the next order would come after it',
    facts('not_approved', [refusedAt(lastMoment)]),
    lastMoment,
    { at: null, isTooLate: false },
  ],
  ['a person’s order, too', facts('approved', [named(300)]), tooLate, { at: null, isTooLate: true }],
  [
    'a second Pix, too',
    facts('approved', [], { pix: [first, second] }),
    tooLate,
    { at: null, isTooLate: true },
  ],
];
for (const [name, given, at, planned] of late) {
  t.test(`after 90 days nothing is ordered: ${name}`, async (t) =>
    t.match(planRefunds(given, { ...options, now: at }), [
      { ...planned, at: planned.at?.toISOString() ?? null },
    ]),
  );
}

t.test('a time-out whose refund was refused is dropped once the review is approved', async (t) => {
  t.same(planRefunds(facts('approved', [refund({})], { isTimedOut: true }), options), []);
});

const underWay: [name: string, given: MoneyFacts, isUnderWay: boolean][] = [
  ['nothing', facts('approved', []), false],
  ['ours requested', facts('approved', [refund({ state: 'requested' })]), true],
  ['the bank’s in process', facts('approved', [med(1, 'processing')]), true],
  ['all made', facts('approved', [med(1, 'refunded')]), false],
  ['refused, to be ordered again', facts('approved', [refund({ reason: 'administrator' })]), true],
  ['refused for good, and owed', facts('approved', [refund({ reason: 'administrator', reorders: 2 })]), true],
  [
    'refused, beside a second Pix',
    facts('approved', [refund({ reason: 'administrator', amount: 300 })], { pix: [first, second] }),
    true,
  ],
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

const orderable: [name: string, given: MoneyFacts, amount: number][] = [
  ['all of it, with no refund', facts('approved', []), 1_000],
  [
    'not what was made, is in progress or was taken',
    facts('approved', [
      refund({ amount: 300, state: 'refunded' }),
      refund({ amount: 200, state: 'requested' }),
      med(100, 'processing'),
    ]),
    400,
  ],
  ['not what a refused order waits to give back', facts('approved', [named(300)]), 700],
  ['nothing, where the order of all that was left was refused', facts('approved', [all(1_000)]), 0],
  ['all of it, where the refused order has ended', facts('approved', [named(300, { wanted: 0 })]), 1_000],
  ['a second Pix counts for nothing', facts('approved', [], { pix: [first, second] }), 1_000],
];
for (const [name, given, amount] of orderable) {
  t.test(`to order: ${name}`, async (t) => t.equal(orderableAmount(given, options), amount));
}
