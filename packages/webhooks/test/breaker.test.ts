import t from 'tap';
import {
  admit,
  afterAttempt,
  type BreakerPolicy,
  type BreakerState,
  CLOSED,
  DEFAULT_BREAKER,
} from '../src/breaker.ts';

const policy: BreakerPolicy = { failuresToOpen: 3, openSeconds: 10, maxOpenSeconds: 60, probeSeconds: 20 };

const at = (seconds: number) => new Date(seconds * 1000);
const state = (changes: Partial<BreakerState>): BreakerState => ({ ...CLOSED, ...changes });

t.test('an attempt is admitted', async (t) => {
  const open = state({ phase: 'open', failures: 3, openings: 1, until: 100_000, failingSince: 0 });
  const halfOpen = state({ ...open, phase: 'half-open', until: 120_000 });
  const table: [
    what: string,
    before: BreakerState,
    second: number,
    admitted: boolean,
    probe: boolean,
    after: BreakerState,
  ][] = [
    ['closed', CLOSED, 0, true, false, CLOSED],
    ['closed with failures', state({ failures: 2 }), 0, true, false, state({ failures: 2 })],
    ['open', open, 99, false, false, open],
    ['at the end of the open period', open, 100, true, true, halfOpen],
    ['long after it', open, 1000, true, true, { ...halfOpen, until: 1_020_000 }],
    ['while a probe is out', halfOpen, 119, false, false, halfOpen],
    ['when the probe is lost', halfOpen, 120, true, true, { ...halfOpen, until: 140_000 }],
  ];
  for (const [what, before, second, admitted, probe, after] of table) {
    t.same(admit(before, at(second), policy), { admitted, probe, state: after }, what);
  }
});

t.test('an attempt is recorded', async (t) => {
  const open = state({ phase: 'open', failures: 3, openings: 1, until: 100_000, failingSince: 5000 });
  const halfOpen = state({ ...open, phase: 'half-open', until: 120_000 });
  const ok = { succeeded: true, probe: false };
  const failed = { succeeded: false, probe: false };
  const failedProbe = { succeeded: false, probe: true };
  const table: [what: string, before: BreakerState, outcome: typeof ok, after: BreakerState][] = [
    ['success while closed', state({ failures: 2, failingSince: 1 }), ok, CLOSED],
    ['first failure', CLOSED, failed, state({ failures: 1, failingSince: 110_000 })],
    [
      'second failure',
      state({ failures: 1, failingSince: 7 }),
      failed,
      state({ failures: 2, failingSince: 7 }),
    ],
    [
      'the failure that opens',
      state({ failures: 2, failingSince: 7 }),
      failed,
      state({ phase: 'open', failures: 3, openings: 1, until: 120_000, failingSince: 7 }),
    ],
    ['a late failure while open', open, failed, { ...open, failures: 4 }],
    ['a late success while open', open, ok, CLOSED],
    ['a late failure beside the probe', halfOpen, failed, { ...halfOpen, failures: 4 }],
    ['a late success beside the probe', halfOpen, ok, CLOSED],
    ['the probe succeeds', halfOpen, { succeeded: true, probe: true }, CLOSED],
    ['the probe fails', halfOpen, failedProbe, { ...open, failures: 4, openings: 2, until: 130_000 }],
    [
      'the probe fails again',
      { ...halfOpen, openings: 2 },
      failedProbe,
      { ...open, failures: 4, openings: 3, until: 150_000 },
    ],
    [
      'the probe fails for the 4th time',
      { ...halfOpen, openings: 3 },
      failedProbe,
      { ...open, failures: 4, openings: 4, until: 170_000 },
    ],
    [
      'the probe fails for ever',
      { ...halfOpen, openings: 5000 },
      failedProbe,
      { ...open, failures: 4, openings: 5001, until: 170_000 },
    ],
  ];
  for (const [what, before, outcome, after] of table) {
    t.same(afterAttempt(before, outcome, at(110), policy), after, what);
  }
});

t.test('a receiver that is dead for a day and comes back', async (t) => {
  let breaker = CLOSED;
  let attempts = 0;
  for (let second = 0; second < 86_400; second++) {
    const { admitted, probe, state } = admit(breaker, at(second));
    breaker = admitted ? afterAttempt(state, { succeeded: false, probe }, at(second)) : state;
    if (admitted) attempts += 1;
    // What a database row or a message makes of it is the same.
    breaker = JSON.parse(JSON.stringify(breaker)) as BreakerState;
  }
  t.equal(breaker.failingSince, 0);
  // After 30, 60, … 1920 seconds, then every hour.
  t.equal(attempts, DEFAULT_BREAKER.failuresToOpen + 7 + 22);
  const { admitted, probe, state } = admit(breaker, at(90_000));
  t.same([admitted, probe], [true, true]);
  t.same(afterAttempt(state, { succeeded: true, probe }, at(90_000)), CLOSED);
});
