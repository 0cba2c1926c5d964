import t from 'tap';
import { median, percentile } from '../src/statistics.ts';

t.test('the median', async (t) => {
  const cases: [values: number[], expected: number][] = [
    [[3], 3],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
    [[], Number.NaN],
  ];
  for (const [values, expected] of cases) t.same(median(values), expected, `of [${values}]`);
});

t.test('percentiles are measured values', async (t) => {
  const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
  const cases: [p: number, expected: number][] = [
    [0.5, 50],
    [0.99, 99],
    [1, 100],
    [0, 1],
  ];
  for (const [p, expected] of cases) t.equal(percentile(hundred, p), expected, `p${p * 100}`);
  t.same(percentile([], 0.5), Number.NaN, 'of none');
});
