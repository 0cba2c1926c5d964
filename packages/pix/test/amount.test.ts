import fc from 'fast-check';
import t from 'tap';
import { formatAmount, parseAmount } from '../src/amount.ts';

t.test('every amount in range survives the way to the PSP and back', async () => {
  const centavos = fc.integer({ min: 1, max: 999_999_999_999 });
  fc.assert(
    fc.property(centavos, (amount) => {
      const text = formatAmount(amount);
      return /^\d{1,10}\.\d{2}$/.test(text) && parseAmount(text) === amount;
    }),
  );
});

t.test('amounts are written with two decimals', async (t) => {
  const cases: [number, string][] = [
    [1, '0.01'],
    [10, '0.10'],
    [789, '7.89'],
    [1000, '10.00'],
    [999_999_999_999, '9999999999.99'],
  ];
  for (const [centavos, text] of cases) t.equal(formatAmount(centavos), text);
});

t.test('what is no amount is never sent', async (t) => {
  for (const bad of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 1_000_000_000_000]) {
    t.throws(() => formatAmount(bad), RangeError, String(bad));
  }
});

t.test('amounts are read by their digits, however a PSP writes them', async (t) => {
  const cases: [unknown, number | null][] = [
    ['7.89', 789],
    ['0.07', 7],
    ['19.99', 1999],
    ['1.1', 110],
    ['5', 500],
    [' 5.00 ', 500],
    ['10.500', 1050],
    [10.5, 1050],
    [4.35, 435],
    [8, 800],
    ['0.00', 0],
    ['7.895', null],
    [0.1 + 0.2, null],
    ['-1.00', null],
    ['1e3', null],
    ['1,50', null],
    ['12345678901.00', null],
    ['', null],
    [null, null],
    [undefined, null],
    [{}, null],
  ];
  for (const [value, centavos] of cases) t.equal(parseAmount(value), centavos, JSON.stringify(value));
});
