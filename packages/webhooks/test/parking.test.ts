import t from 'tap';
import { type BreakerState, CLOSED } from '../src/breaker.ts';
import { park, parkedAfterMs } from '../src/parking.ts';

const now = new Date('2026-03-02T12:00:00Z');
const until = now.getTime() + 30_000;
const threeDaysAgo = now.getTime() - parkedAfterMs;
const sixHours = 6 * 3_600_000;

const cases: [why: string, state: BreakerState, until: number | null][] = [
  ['what never failed is let be', CLOSED, null],
  ['an open one rests as long as its breaker says', open(threeDaysAgo), until],
  [
    'one that failed for longer than three days rests for six hours',
    open(threeDaysAgo - 1),
    now.getTime() + sixHours,
  ],
  ['one whose probe is out hears of it first', { ...open(threeDaysAgo - 1), phase: 'half-open' }, until],
  ['one that never opened is let be', { ...open(threeDaysAgo - 1), phase: 'closed', until: null }, null],
];

for (const [why, state, expected] of cases) {
  t.test(why, async (t) => {
    t.same(park(state, now), { ...state, until: expected });
  });
}

function open(failingSince: number): BreakerState {
  return { phase: 'open', failures: 40, openings: 9, until, failingSince };
}
