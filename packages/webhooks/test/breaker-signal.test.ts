import t from 'tap';
import type { AttemptResult, FailedStage } from '../src/attempt-result.ts';
import { breakerSignal } from '../src/breaker-signal.ts';

const table: [
  what: number | FailedStage,
  endpointSucceeded: boolean | null,
  hostSucceeded: boolean | null,
][] = [
  [200, true, true],
  [204, true, true],
  [301, false, true],
  [400, false, true],
  [404, false, true],
  [410, true, true],
  [429, false, true],
  [500, false, true],
  [502, false, false],
  [503, false, false],
  [504, false, false],
  ['url', null, null],
  ['address', false, false],
  ['dns', false, false],
  ['connect', false, false],
  ['tls', false, false],
  ['timeout', false, false],
  ['response', false, false],
];

for (const [what, endpointSucceeded, hostSucceeded] of table) {
  t.test(String(what), async (t) => {
    const result: AttemptResult =
      typeof what === 'number'
        ? { outcome: 'answered', status: what, retryAfter: null, responseExcerpt: '', durationMs: 1 }
        : { outcome: 'failed', stage: what, error: 'short', durationMs: 1 };
    t.same(breakerSignal(result), { endpointSucceeded, hostSucceeded });
  });
}
