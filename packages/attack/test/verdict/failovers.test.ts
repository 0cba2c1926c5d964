import t from 'tap';
import type { Window } from '../../src/faults/fault.ts';
import { failoverFigures } from '../../src/verdict/report.ts';

const second = 1_000;
const promotedAt = (to: number): Window => ({
  fault: 'primary-killed',
  target: 'postgres',
  kind: 'postgres',
  from: to - second,
  to,
});
const created = (at: number, ms: number) => ({ what: 'create', at, ms });
const slowest = 'slowest creation after a promotion, s';

t.test('the slowest creation counts from each promotion to the next response', async (t) => {
  const latencies = [created(9 * second, 100), created(12 * second, 500), created(40 * second, 200)];
  const figures = failoverFigures({ latencies, failures: [] }, [promotedAt(10 * second)]);
  t.same(figures, { failovers: 1, [slowest]: 2.5 });
});

t.test(
  'a promotion after the load has no next creation, one that nobody recovers from has none in time',
  async (t) => {
    const latencies = [created(12 * second, 500)];
    const windows = [promotedAt(10 * second), promotedAt(60 * second)];
    t.same(failoverFigures({ latencies, failures: [] }, windows), { failovers: 2, [slowest]: 2.5 });
    const failures = [{ what: 'create', from: 61 * second, to: 62 * second, status: 503, says: '' }];
    t.equal(failoverFigures({ latencies, failures }, windows)[slowest], Number.POSITIVE_INFINITY);
  },
);
