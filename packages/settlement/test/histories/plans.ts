import type { PaymentStatus } from '@payments/domain/status';
import fc from 'fast-check';
import { crash, tries } from './creations.ts';
import { episode, lying } from './episodes.ts';
import type { Terms } from './model.ts';
import { type Scan, scans } from './operations.ts';
import type { Plan, Step, Work } from './steps.ts';

const { constant, constantFrom, integer, oneof, option, record, tuple } = fc;
const of = integer({ min: 0, max: 1 });
const ofAny = constantFrom(0, 0, 1, 1, 2);
const share = constantFrom(100, 100, 30, 50, 70);
/** `next` is the usual next status of the payment at that time. */
const to = oneof(
  { weight: 8, arbitrary: constant('next' as const) },
  {
    weight: 2,
    arbitrary: constantFrom<PaymentStatus>('approved', 'paid', 'withdrawal_processing', 'receipt_sent'),
  },
  { weight: 2, arbitrary: constantFrom<PaymentStatus>('not_approved', 'rejected') },
);

const key = option(constantFrom('one', 'two'), { nil: undefined });

const timed: readonly Scan[] = ['expire', 'expireUnregistered', 'timeOut', 'orderAgain'];

/** Most work stands a clock that differs by less than is believed; what ends payments and reviews is then early by that. */
function believed({ scan, ahead }: { scan: Scan; ahead: number }): number {
  return timed.includes(scan) ? 0 : ahead;
}

const telling = (bank: fc.Arbitrary<number>) =>
  record({
    kind: constant('tell' as const),
    of: ofAny,
    bank,
    old: constantFrom(0, 0, 0, 1, 2),
    turned: fc.boolean(),
    twice: constantFrom(false, false, true),
    odd: constantFrom(null, null, null, null, 'amounts' as const, 'ids' as const),
  });

const workAt = (bank: fc.Arbitrary<number>): fc.Arbitrary<Work> =>
  oneof(
    {
      weight: 8,
      arbitrary: record({
        kind: constant('scan' as const),
        scan: constantFrom<Scan>(...scans, 'carryOut', 'carryOut', 'timeOut'),
        bank,
        ahead: constantFrom(0, 0, 0, 0, 100, -100),
      }).map((one) => ({ ...one, ahead: believed(one) })),
    },
    { weight: 8, arbitrary: telling(bank) },
    { weight: 6, arbitrary: record({ kind: constant('decide' as const), of, to }) },
    { weight: 4, arbitrary: record({ kind: constant('refund' as const), of, share, key }) },
    { weight: 1, arbitrary: record({ kind: constant('anew' as const), of }) },
    {
      weight: 1,
      arbitrary: record({ kind: constant('refundLost' as const), pix: integer({ min: 0, max: 1 }) }),
    },
  );

// Most calls end before a kill, so calls that move money back get more of them.
const carryOutAt = (bank: fc.Arbitrary<number>) =>
  record({ kind: constant('scan' as const), scan: constant('carryOut' as const), bank });
const crashedAt = (bank: fc.Arbitrary<number>) =>
  tuple(oneof(workAt(bank), carryOutAt(bank)), crash).map(([one, how]) => ({ ...one, crash: how }));

const amount = constantFrom('exact' as const, 'exact' as const, 'under' as const, 'over' as const);
const failing = record({
  status: constantFrom(500, 503, 400, 403, 404),
  only: constantFrom(['putDevolucao'], ['getCob'], ['listPix'], ['getDevolucao'], ['patchCob']),
  times: integer({ min: 1, max: 3 }),
});
const faults = oneof(
  constant({}),
  constant({ refuseRefunds: true }),
  constant({ refuseRefunds: true }),
  constant({ refuseRefunds: true }),
  constant({ slowRefundsMs: 600_000 }),
  constant({ slowRefundsMs: 600_000, refuseRefunds: true }),
  constant({ loseRefundAnswers: true }),
  failing,
  lying,
  lying,
  lying,
  lying,
);
// Moments, the pauses of refunds, the review time, a charge's hour, and the interval of the scan of returns.
const seconds = oneof(
  { weight: 6, arbitrary: constantFrom(3, 15, 61, 121, 601) },
  { weight: 1, arbitrary: constantFrom(1_801, 3_601, 3_750, 7 * 3_600) },
);

const leftover = constantFrom(false, false, true);
/** One bank may be removed for a while. */
const configured = constantFrom([0, 1], [1, 0], [0, 1], [0], [1]);

const stepOf = (banks: number): fc.Arbitrary<Step> => {
  const bank = integer({ min: 0, max: banks - 1 });
  const work = workAt(bank);
  return oneof(
    { weight: 28, arbitrary: work },
    { weight: 4, arbitrary: crashedAt(bank) },
    { weight: 2, arbitrary: record({ kind: constant('together' as const), works: tuple(work, work) }) },
    {
      weight: 8,
      arbitrary: record({
        kind: constant('pay' as const),
        of: ofAny,
        amount,
        leftover: banks === 1 ? constant(false) : leftover,
      }),
    },
    {
      weight: 5,
      arbitrary: record({
        kind: constant('med' as const),
        of: ofAny,
        pix: integer({ min: 0, max: 1 }),
        share,
        slow: fc.boolean(),
        refused: fc.boolean(),
      }),
    },
    { weight: 8, arbitrary: record({ kind: constant('pass' as const), seconds }) },
    {
      weight: 1,
      arbitrary: record({ kind: constant('skew' as const), seconds: integer({ min: -20, max: 20 }) }),
    },
    { weight: 4, arbitrary: record({ kind: constant('faults' as const), bank, faults }) },
    ...(banks === 1
      ? []
      : [{ weight: 3, arbitrary: record({ kind: constant('banks' as const), configured }) }]),
  );
};

/** Mostly single steps, and some episodes. */
function stepsOf(banks: number): fc.Arbitrary<Step[]> {
  const single = stepOf(banks).map((step): Step[] => [step]);
  const several = episode(integer({ min: 0, max: banks - 1 }));
  const group = oneof({ weight: 12, arbitrary: single }, { weight: 1, arbitrary: several });
  return fc.array(group, { minLength: 4, maxLength: 36, size: 'max' }).map((groups) => groups.flat());
}

const lostAt = (places: number) =>
  option(record({ place: integer({ min: 0, max: places - 1 }), recovers: fc.boolean() }), { freq: 1 });

const terms: fc.Arbitrary<Terms> = record({
  percent: option(integer({ min: 0, max: 500 }).map((hundredths) => hundredths / 100)),
  fixed: option(integer({ min: 0, max: 300 })),
  reviewAbove: option(constantFrom(700, 1_500), { freq: 1 }),
});
const preference = constantFrom(null, null, [0, 1], [0, 1], [0, 1], [1, 0], [0], [1]);

const payment = record({ amount: integer({ min: 500, max: 2_000 }), store: integer({ min: 0, max: 1 }) });

/** A history begins with two payments, mostly paid soon: unpaid ones show little. */
export const ofOneBank: fc.Arbitrary<Plan> = record({
  stores: fc.array(record({ terms, banks: constant(null) }), { minLength: 2, maxLength: 2 }),
  payments: fc.array(
    payment.map((one) => ({ ...one, tries: [] })),
    { minLength: 2, maxLength: 2 },
  ),
  configured: constant([0]),
  paused: constant(null),
  lost: lostAt(1),
  steps: stepsOf(1),
});

export const ofTwoBanks: fc.Arbitrary<Plan> = record({
  stores: fc.array(record({ terms, banks: preference }), { minLength: 2, maxLength: 2 }),
  payments: fc.array(
    tuple(payment, tries).map(([one, more]) => ({ ...one, tries: more })),
    { minLength: 2, maxLength: 2 },
  ),
  configured: oneof({ weight: 6, arbitrary: constant([0, 1]) }, configured),
  paused: oneof({ weight: 4, arbitrary: constant(null) }, constantFrom(0, 1)),
  lost: constant(null),
  steps: stepsOf(2),
});
