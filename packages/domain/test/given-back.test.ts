import t from 'tap';
import { decideGivenBack, leftOfApproved } from '../src/refunds.ts';

type Row = [
  what: string,
  received: number,
  left: number,
  made: [amount: number, known: number | null][],
  expected: number[],
];

const table: Row[] = [
  ['nothing went back', 1000, 1000, [], []],
  ['a part', 1000, 700, [[300, null]], [300]],
  ['all', 1000, 0, [[1000, null]], [1000]],
  ['what went back before the approval', 700, 700, [[300, null]], [0]],
  [
    'a second part',
    1000,
    500,
    [
      [300, 300],
      [200, null],
    ],
    [200],
  ],
  [
    'two parts at once',
    1000,
    500,
    [
      [300, null],
      [200, null],
    ],
    [300, 200],
  ],
  [
    'two at once, of which the bank’s exceeds what is left',
    1000,
    500,
    [
      [400, null],
      [300, null],
    ],
    [400, 100],
  ],
  [
    'more than was left',
    1000,
    0,
    [
      [700, 700],
      [700, null],
    ],
    [300],
  ],
  [
    'what went back after all was gone',
    1000,
    0,
    [
      [1000, 1000],
      [50, null],
    ],
    [0],
  ],
  ['all is decided', 1000, 700, [[300, 300]], []],
];
for (const [what, received, left, made, expected] of table) {
  t.test(what, async (t) => {
    const returns = made.map(([amount, givenBack]) => ({ amount, givenBack }));
    const decided = decideGivenBack({ received, left }, returns);
    t.strictSame(
      decided.map(({ givenBack }) => givenBack),
      expected,
    );
  });
}

t.test('nothing is left of a payment that was approved and is not any more', async (t) => {
  t.equal(leftOfApproved({ status: 'approved', amount: 700 }), 700);
  t.equal(leftOfApproved({ status: 'paid', amount: 700 }), 700);
  t.equal(leftOfApproved({ status: 'not_approved', amount: 1_000 }), 0);
});
