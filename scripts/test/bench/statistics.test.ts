import t from 'tap';
import { isMet, median, percentile, ratioOf, spread } from '../../src/bench/statistics.ts';

t.test('the median', async (t) => {
  const cases: [values: number[], expected: number][] = [
    [[3], 3],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
    [[], Number.NaN],
  ];
  for (const [values, expected] of cases) t.same(median(values), expected, `of [${values}]`);
});

t.test('percentiles are values that were measured', async (t) => {
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

t.same(spread([3, 1, 2]), { low: 1, high: 3 }, 'the spread is the least and the greatest');

t.test('a ratio is that of the medians, its spread that of the rounds', async (t) => {
  t.same(ratioOf([100, 50, 90], [200, 100, 100]), { ratio: 0.9, low: 0.5, high: 0.9 });
  t.match(ratioOf([10], []), { ratio: Number.NaN }, 'beside nothing there is none');
});

t.test('what is wanted', async (t) => {
  t.ok(isMet(2, { atLeast: 2 }));
  t.notOk(isMet(1.99, { atLeast: 2 }));
  t.ok(isMet(15, { atMost: 15 }));
  t.notOk(isMet(15.1, { atMost: 15 }));
  t.notOk(isMet(Number.NaN, { atLeast: 0 }), 'what could not be measured is not met');
  t.notOk(isMet(Number.NaN, { atMost: 1 }));
});
