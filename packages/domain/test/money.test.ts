import fc from 'fast-check';
import t from 'tap';
import { centavosFrom, formatReais, reaisFrom } from '../src/money.ts';

const amounts: [reais: unknown, centavos: number | undefined][] = [
  [0, 0],
  [5, 500],
  [3000, 300_000],
  [0.01, 1],
  [0.1, 10],
  [8.2, 820],
  [1.15, 115],
  [19.99, 1999],
  [2999.99, 299_999],
  [-4.99, -499],
  [1e3, 100_000],
  [1_000_000, 100_000_000],
  [90_071_992_547_409.91, Number.MAX_SAFE_INTEGER],
  [0.001, undefined],
  [5.001, undefined],
  [0.1 + 0.2, undefined],
  [1e-7, undefined],
  [1e21, undefined],
  [Number.MAX_VALUE, undefined],
  [Number.MIN_VALUE, undefined],
  [Number.MAX_SAFE_INTEGER, undefined],
  [Number.NaN, undefined],
  [Number.POSITIVE_INFINITY, undefined],
  [Number.NEGATIVE_INFINITY, undefined],
  ['5', undefined],
  ['', undefined],
  [5n, undefined],
  [null, undefined],
  [undefined, undefined],
  [true, undefined],
  [[5], undefined],
  [{}, undefined],
];
for (const [reais, centavos] of amounts) {
  t.test(`${typeof reais} ${String(reais)} is ${centavos} centavos`, async (t) =>
    t.equal(centavosFrom(reais), centavos),
  );
}

t.test('centavos survive the conversion to reais and back', async () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (centavos) => {
      // Beyond this, a double of reais can't tell neighbouring centavos apart.
      const amount = Math.trunc(centavos / 128);
      return centavosFrom(JSON.parse(JSON.stringify(reaisFrom(amount)))) === (amount || 0);
    }),
  );
});

t.test('three decimals are refused', async () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 10_000_000 }),
      fc.integer({ min: 1, max: 9 }),
      (cents, thousandth) => {
        const text = `${Math.trunc(cents / 100)}.${String(cents % 100).padStart(2, '0')}${thousandth}`;
        return centavosFrom(Number(text)) === undefined;
      },
    ),
  );
});

const texts: [centavos: number, text: string][] = [
  [500, '5,00'],
  [300_000, '3000,00'],
  [1, '0,01'],
  [50, '0,50'],
  [500_050, '5000,50'],
  [100_000_000, '1000000,00'],
];
for (const [centavos, text] of texts) {
  t.test(`${centavos} centavos are written ${text}`, async (t) => t.equal(formatReais(centavos), text));
}
