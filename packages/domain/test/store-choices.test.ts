import t from 'tap';
import { isWithinDay } from '../src/store-choices.ts';

const rows: [limit: number | null, ordered: number, amount: number, isWithin: boolean][] = [
  [null, 1_000_000_00, 1_000_000_00, true],
  [0, 0, 1, false],
  [10_000, 0, 10_000, true],
  [10_000, 0, 10_001, false],
  [10_000, 9_999, 1, true],
  [10_000, 9_999, 2, false],
  [10_000, 10_000, 1, false],
  // The limit was lowered since.
  [10_000, 50_000, 1, false],
];
for (const [limit, ordered, amount, isWithin] of rows)
  t.equal(isWithinDay(limit, ordered, amount), isWithin, `${ordered} and ${amount} of ${limit}`);
