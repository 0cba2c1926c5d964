import fc from 'fast-check';
import t from 'tap';
import { type FeeTerms, feesOf } from '../src/fees.ts';

const table: [amount: number, terms: FeeTerms, feeAmount: number | null, liquidValue: number | null][] = [
  [10_000, { ppm: null, fixed: null }, null, null],
  [10_000, { ppm: 0, fixed: null }, 0, 10_000],
  [10_000, { ppm: null, fixed: 0 }, 0, 10_000],
  [10_000, { ppm: 15_000, fixed: null }, 150, 9_850],
  [10_000, { ppm: null, fixed: 40 }, 40, 9_960],
  [10_000, { ppm: 15_000, fixed: 40 }, 190, 9_810],
  // half a centavo rounds up, less rounds down
  [50, { ppm: 10_000, fixed: null }, 1, 49],
  [49, { ppm: 10_000, fixed: null }, 0, 49],
  [150, { ppm: 10_000, fixed: null }, 2, 148],
  [1, { ppm: 499_999, fixed: null }, 0, 1],
  [1, { ppm: 500_000, fixed: null }, 1, 0],
  // at most the amount
  [500, { ppm: 1_000_000, fixed: null }, 500, 0],
  [500, { ppm: 1_000_000, fixed: 1 }, 500, 0],
  [500, { ppm: null, fixed: 1_000 }, 500, 0],
  [300_000, { ppm: 1, fixed: null }, 0, 300_000],
];
for (const [amount, terms, feeAmount, liquidValue] of table) {
  t.test(`${JSON.stringify(terms)} of ${amount}`, async (t) =>
    t.strictSame(feesOf(amount, terms), { feeAmount, liquidValue }),
  );
}

const anyAmount = fc.integer({ min: 1, max: 100_000_000 });
const anyTerms = fc.record({
  ppm: fc.option(fc.integer({ min: 0, max: 1_000_000 })),
  fixed: fc.option(fc.integer({ min: 0, max: 100_000_000 })),
});

t.test('fee and net value are integers, not negative, and add up to the amount', async () => {
  fc.assert(
    fc.property(anyAmount, anyTerms, (amount, terms) => {
      const { feeAmount, liquidValue } = feesOf(amount, terms);
      if (terms.ppm === null && terms.fixed === null) return feeAmount === null && liquidValue === null;
      if (feeAmount === null || liquidValue === null) return false;
      const whole = Number.isSafeInteger(feeAmount) && Number.isSafeInteger(liquidValue);
      return whole && feeAmount >= 0 && liquidValue >= 0 && feeAmount + liquidValue === amount;
    }),
  );
});

t.test('the percentage is exact to half a centavo', async () => {
  fc.assert(
    fc.property(anyAmount, fc.integer({ min: 0, max: 1_000_000 }), (amount, ppm) => {
      const fee = BigInt(feesOf(amount, { ppm, fixed: null }).feeAmount ?? -1);
      const twice = 2n * (fee * 1_000_000n - BigInt(amount) * BigInt(ppm));
      return twice > -1_000_000n && twice <= 1_000_000n;
    }),
  );
});

t.test('a larger amount has no smaller fee', async () => {
  fc.assert(
    fc.property(anyAmount, anyTerms, (amount, terms) => {
      const [less, more] = [feesOf(amount, terms).feeAmount, feesOf(amount + 1, terms).feeAmount];
      return (less ?? 0) <= (more ?? 0);
    }),
  );
});
