import type { FailedStage } from '@payments/domain/delivery-error';
import t from 'tap';
import type { AttemptResult } from '../src/attempt-result.ts';
import {
  type EndpointHealth,
  endpointSucceeded,
  healthAfter,
  parkedAfterMs,
} from '../src/endpoint-health.ts';

const firstRest = 10;
const at = (seconds: number) => new Date(1_000_000_000_000 + seconds * 1_000);
const closed = (failures: number): EndpointHealth => {
  return { failures, openings: 0, openUntil: null, failingSince: at(0) };
};
const open = (openings: number, until: number, failures = 10): EndpointHealth => {
  return { failures, openings, openUntil: at(until), failingSince: at(0) };
};

const ok = { succeeded: true, probe: false };
const failed = { succeeded: false, probe: false };
const failedProbe = { succeeded: false, probe: true };

t.test('an endpoint’s health after one more attempt', async (t) => {
  const table: [
    what: string,
    before: EndpointHealth | null,
    outcome: typeof ok,
    after: EndpointHealth | null,
  ][] = [
    ['healthy, and stays so', null, ok, null],
    ['the first failure', null, failed, { ...closed(1), failingSince: at(110) }],
    ['the last failure that does not open', closed(8), failed, closed(9)],
    ['the failure that opens', closed(9), failed, open(1, 120)],
    ['a success after failures', closed(2), ok, null],
    ['a late failure while open', open(1, 100), failed, open(1, 100, 11)],
    ['a late success while open', open(1, 200), ok, null],
    ['the probe succeeds', open(1, 200), { succeeded: true, probe: true }, null],
    ['the probe fails', open(1, 200), failedProbe, open(2, 130, 11)],
    ['the probe fails again', open(2, 200), failedProbe, open(3, 150, 11)],
    ['the rest is bounded', open(4, 200), failedProbe, open(5, 230, 11)],
    ['the probe fails for ever', open(5_000, 200), failedProbe, open(5_001, 230, 11)],
  ];
  for (const [what, before, outcome, after] of table) {
    t.same(healthAfter(before, outcome, at(110), firstRest), after, what);
  }
});

t.test('an endpoint that has failed for three days is probed every six hours', async (t) => {
  const sixHoursMs = 6 * 3_600_000;
  const parkedFrom = at(parkedAfterMs / 1_000);
  const justBefore = healthAfter(open(9, 0), failedProbe, parkedFrom, firstRest);
  t.equal(justBefore?.openUntil?.getTime(), parkedFrom.getTime() + 120_000);
  const later = new Date(parkedFrom.getTime() + 1);
  const parked = healthAfter(open(9, 0), failedProbe, later, firstRest);
  t.equal(parked?.openUntil?.getTime(), later.getTime() + sixHoursMs);
  t.equal(healthAfter(closed(1), failed, later, firstRest)?.openUntil, null, 'once its circuit is open');
});

t.test('an attempt’s verdict on its endpoint', async (t) => {
  const table: [what: number | FailedStage, succeeded: boolean | null][] = [
    [200, true],
    [204, true],
    [301, false],
    [400, false],
    [404, false],
    [410, true],
    [429, false],
    [500, false],
    [503, false],
    ['signature', null],
    ['url', null],
    ['address', false],
    ['dns', false],
    ['connect', false],
    ['tls', false],
    ['timeout', false],
    ['response', false],
  ];
  for (const [what, succeeded] of table) {
    const result: AttemptResult =
      typeof what === 'number'
        ? { outcome: 'answered', status: what, retryAfter: null, responseExcerpt: '', durationMs: 1 }
        : { outcome: 'failed', stage: what, code: 'failed', durationMs: 1 };
    t.equal(endpointSucceeded(result), succeeded, String(what));
  }
});
