import type { PaymentStatus } from '@payments/domain/status';
import fc from 'fast-check';
import type { Terms } from './model.ts';
import { type Scan, scans } from './operations.ts';

/** A payment of the history, by its place. */
type Of = { of: number };

/** A step that runs the service's code, and may be interrupted. */
export type Work =
  | { kind: 'scan'; scan: Scan }
  | (Of & { kind: 'tell' })
  | (Of & { kind: 'decide'; to: PaymentStatus | 'next' })
  | (Of & { kind: 'refund'; share: number; key?: string | undefined })
  | (Of & { kind: 'anew' });

export type Crash = { at: 'statement' | 'sent' | 'call' | 'answer'; n: number };

export type Step =
  | (Work & { crash?: Crash | undefined })
  | { kind: 'together'; works: readonly [Work, Work] }
  | (Of & { kind: 'pay'; amount: 'exact' | 'under' | 'over' })
  | (Of & { kind: 'med'; pix: number; share: number; slow: boolean; refused: boolean })
  | { kind: 'pass'; seconds: number }
  | { kind: 'skew'; seconds: number }
  | { kind: 'faults'; faults: Record<string, unknown> };

export type Plan = { stores: Terms[]; payments: { amount: number; store: number }[]; steps: Step[] };

const { constant, constantFrom, integer, oneof, option, record, tuple } = fc;
const of = integer({ min: 0, max: 1 });
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

export const work: fc.Arbitrary<Work> = oneof(
  {
    weight: 8,
    arbitrary: record({
      kind: constant('scan' as const),
      scan: constantFrom(...scans, 'carryOut', 'carryOut', 'timeOut'),
    }),
  },
  { weight: 8, arbitrary: record({ kind: constant('tell' as const), of }) },
  { weight: 6, arbitrary: record({ kind: constant('decide' as const), of, to }) },
  { weight: 4, arbitrary: record({ kind: constant('refund' as const), of, share, key }) },
  { weight: 1, arbitrary: record({ kind: constant('anew' as const), of }) },
);

const crash = record({
  at: constantFrom<Crash['at']>('statement', 'sent', 'call', 'answer'),
  n: integer({ min: 1, max: 12 }),
});
// Most calls end before a kill, so calls that move money back get more of them.
const carryOut = record({ kind: constant('scan' as const), scan: constant('carryOut' as const) });
const crashed = tuple(oneof(work, carryOut), crash).map(([one, how]) => {
  const n = how.at === 'call' || how.at === 'answer' ? Math.ceil(how.n / 6) : how.n;
  return { ...one, crash: { ...how, n } };
});

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
);
// Moments, the pauses of refunds, the review time, a charge's hour, and the interval of the scan of returns.
const seconds = oneof(
  { weight: 6, arbitrary: constantFrom(3, 15, 61, 121, 601) },
  { weight: 1, arbitrary: constantFrom(1_801, 3_601, 3_750, 7 * 3_600) },
);

const step: fc.Arbitrary<Step> = oneof(
  { weight: 28, arbitrary: work },
  { weight: 4, arbitrary: crashed },
  { weight: 2, arbitrary: record({ kind: constant('together' as const), works: tuple(work, work) }) },
  { weight: 8, arbitrary: record({ kind: constant('pay' as const), of, amount }) },
  {
    weight: 5,
    arbitrary: record({
      kind: constant('med' as const),
      of,
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
  { weight: 4, arbitrary: record({ kind: constant('faults' as const), faults }) },
);

const terms: fc.Arbitrary<Terms> = record({
  percent: option(integer({ min: 0, max: 500 }).map((hundredths) => hundredths / 100)),
  fixed: option(integer({ min: 0, max: 300 })),
  reviewAbove: option(constantFrom(700, 1_500), { freq: 1 }),
});
const payment = record({ amount: integer({ min: 500, max: 2_000 }), store: integer({ min: 0, max: 1 }) });

/** A history begins with two payments, mostly paid soon: unpaid ones show little. */
export const plans: fc.Arbitrary<Plan> = record({
  stores: fc.array(terms, { minLength: 2, maxLength: 2 }),
  payments: fc.array(payment, { minLength: 2, maxLength: 2 }),
  steps: fc.array(step, { minLength: 4, maxLength: 40, size: 'max' }),
});
