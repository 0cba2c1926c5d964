import fc from 'fast-check';
import type { Scan } from './operations.ts';
import type { Crash, Work } from './steps.ts';

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
