import type { PaymentStatus } from '@payments/domain/status';
import fc from 'fast-check';
import { episode, lying } from './episodes.ts';
import type { Terms } from './model.ts';
import { type Scan, scans } from './operations.ts';

/** A payment of the history, by its place; 2 is the lost one, which the bank's steps and callbacks may be about. */
type Of = { of: number };

/** How a callback tells: of an older state, in another order, twice, or as nobody can read it whole. */
export type Telling = { old: number; turned: boolean; twice: boolean; odd: 'amounts' | 'ids' | null };

/** A step that runs the service's code, and may be interrupted. */
export type Work =
  /** `ahead`: how many seconds the clock of the process that runs it differs. */
  | { kind: 'scan'; scan: Scan; bank: number; ahead?: number }
  /** A person orders a Pix of the lost payment back. */
  | { kind: 'refundLost'; pix: number }
  /** A person compares today with a bank. */
  | { kind: 'look'; bank: number }
  | (Of & { kind: 'tell'; bank: number } & Telling)
  | (Of & { kind: 'decide'; to: PaymentStatus | 'next' })
  | (Of & { kind: 'refund'; share: number; key?: string | undefined })
  | (Of & { kind: 'anew' });

export type Crash = { at: 'statement' | 'sent' | 'call' | 'answer'; n: number };

export type Step =
  | (Work & { crash?: Crash | undefined })
  | { kind: 'together'; works: readonly [Work, Work] }
  | (Of & { kind: 'pay'; amount: 'exact' | 'under' | 'over'; leftover: boolean })
  | (Of & { kind: 'med'; pix: number; share: number; slow: boolean; refused: boolean })
  | { kind: 'pass'; seconds: number }
  | { kind: 'skew'; seconds: number }
  | { kind: 'faults'; bank: number; faults: Record<string, unknown> }
  /** The configured banks, in order of preference. */
  | { kind: 'banks'; configured: readonly number[] };

/** One request of a payment's creation. The last one is answered. */
export type Try = {
  /** The faults of each bank. */
  faults: readonly Record<string, unknown>[];
  crash?: Crash | undefined;
  /** The scans that run before the next try. */
  after: readonly Work[];
};

export type Plan = {
  /** `banks` by place, in the store's order; null for all. */
  stores: { terms: Terms; banks: readonly number[] | null }[];
  payments: { amount: number; store: number; tries: readonly Try[] }[];
  /** The banks at the creations. */
  configured: readonly number[];
  paused: number | null;
  /** A payment that a restored database has lost, at a bank; and whether such a one is created anew. */
  lost: { place: number; recovers: boolean } | null;
  steps: Step[];
};

const { constant, constantFrom, integer, oneof, option, record, tuple } = fc;

export const crash = record({
  at: constantFrom<Crash['at']>('statement', 'sent', 'call', 'answer'),
  n: integer({ min: 1, max: 12 }),
}).map(({ at, n }) => ({ at, n: at === 'call' || at === 'answer' ? Math.ceil(n / 6) : n }));

/** A bank's fault while a charge is created: mostly its answer is lost, and the next bank takes the charge. */
const creating = oneof(
  { weight: 4, arbitrary: constant({ loseChargeAnswers: true }) },
  { weight: 4, arbitrary: constant({ loseChargeAnswers: true, status: 503, only: ['getCob'] }) },
  { weight: 1, arbitrary: constant({ disconnect: true, only: ['putCob'] }) },
  { weight: 2, arbitrary: record({ status: constantFrom(500, 503, 403, 400), only: constant(['putCob']) }) },
);
const well = constant({});
const scanning: fc.Arbitrary<Work> = record({
  kind: constant('scan' as const),
  scan: constantFrom<Scan>('unheard', 'follow', 'reconcile'),
  bank: integer({ min: 0, max: 1 }),
});
const oneTry = record({
  faults: oneof(
    { weight: 8, arbitrary: tuple(creating, well) },
    { weight: 3, arbitrary: tuple(well, creating) },
    { weight: 2, arbitrary: tuple(well, well) },
    { weight: 1, arbitrary: tuple(creating, creating) },
  ),
  crash: option(crash, { nil: undefined }),
  after: fc.array(scanning, { maxLength: 3 }),
});
/** The requests of a creation: one, or some that were killed before it. */
export const tries = fc.array(oneTry, { minLength: 1, maxLength: 3 });

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
