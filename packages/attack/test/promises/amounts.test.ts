import t from 'tap';
import { amounts } from '../../src/promises/amounts.ts';
import { moneyOf } from '../../src/promises/charged.ts';
import { caseOf, devolucao, type HandMade, pixOf } from '../hand-made.ts';

const approved: HandMade['events'] = [['approved', 'psp', 2, 10]];
const reviewed: HandMade['events'] = [
  ['review', 'psp', 2, 10],
  ['approved', 'administrator', 9, 15],
];

const honest: Record<string, HandMade> = {
  'one that nobody paid': {
    status: 'not_approved',
    amount: 10,
    events: [['not_approved', 'expiry', 30, 10]],
  },
  'an exact one': { status: 'approved', amount: 10, pix: [pixOf('10.00', 1)], events: approved },
  'an over-payment, approved as what came': {
    status: 'approved',
    amount: 15,
    pix: [pixOf('15.00', 1)],
    events: reviewed,
  },
  'an over-payment that is rejected': {
    status: 'not_approved',
    amount: 10,
    pix: [pixOf('15.00', 1, devolucao('r1', '15.00', 9))],
    events: [reviewed[0]!, ['not_approved', 'administrator', 8, 10]],
  },
  'a part that a MED took after the approval': {
    status: 'paid',
    amount: 6,
    pix: [pixOf('10.00', 1, devolucao('MED1', '4.00', 5))],
    events: [...approved, ['paid', 'administrator', 6, 6]],
  },
  'a MED that no callback told of before it was paid': {
    status: 'paid',
    amount: 6,
    pix: [pixOf('10.00', 1, devolucao('MED1', '4.00', 5))],
    events: [...approved, ['paid', 'administrator', 6, 10]],
  },
  'a MED that came to nothing': {
    status: 'approved',
    amount: 10,
    pix: [pixOf('10.00', 1, devolucao('MED1', '10.00', 5, 'NAO_REALIZADO'))],
    events: approved,
  },
  'a whole MED of an approved one': {
    status: 'not_approved',
    amount: 10,
    pix: [pixOf('10.00', 1, devolucao('MED1', '10.00', 5))],
    events: [...approved, ['not_approved', 'refund', 6, 10]],
  },
  'a whole MED of one that is paid out': {
    status: 'receipt_sent',
    amount: 0,
    pix: [pixOf('10.00', 1, devolucao('MED1', '10.00', 50))],
    events: approved,
  },
  'one that was paid in time, and seen late': {
    status: 'approved',
    amount: 10,
    pix: [pixOf('10.00', 19)],
    events: [
      ['not_approved', 'expiry', 24, 10],
      ['approved', 'psp', 30, 10],
    ],
  },
  'one that was paid late': {
    status: 'not_approved',
    amount: 10,
    pix: [pixOf('10.00', 22, devolucao('r1', '10.00', 40))],
    events: [
      ['review', 'psp', 23, 10, 'late'],
      ['not_approved', 'review-timeout', 40, 10],
    ],
  },
  'one that was paid twice': {
    status: 'approved',
    amount: 10,
    pix: [pixOf('10.00', 1), pixOf('10.00', 2, devolucao('r1', '10.00', 3))],
    events: approved,
  },
};

t.test('an honest history says what the bank has', async (t) => {
  for (const [what, made] of Object.entries(honest)) t.same(amounts(caseOf(made)), [], what);
});

const lies: [what: string, like: string, made: Partial<HandMade>, says: RegExp][] = [
  [
    'an over-payment shown as charged',
    'an over-payment, approved as what came',
    { amount: 10 },
    /a read shows 10 .* the bank has 15/,
  ],
  [
    'an over-payment told as charged',
    'an over-payment, approved as what came',
    { events: [reviewed[0]!, ['approved', 'administrator', 9, 10]] },
    /event 3 \(approved\) tells 10 .* had 15/,
  ],
  [
    'an over-payment told as what came before anyone approved it',
    'an over-payment, approved as what came',
    { events: [['review', 'psp', 2, 15], reviewed[1]!] },
    /event 2 \(review\) tells 15 /,
  ],
  ['a wrong fee', 'an exact one', { feeAmount: 0.99 }, /fee 0\.99.* \(fee 1,/],
  ['an amount that nobody paid', 'one that nobody paid', { amount: 0 }, /shows 0 .* has 10/],
  [
    'a MED that nobody took notice of',
    'a part that a MED took after the approval',
    { amount: 10 },
    /shows 10 .* has 6/,
  ],
  [
    'a MED that came to nothing, counted',
    'a MED that came to nothing',
    { amount: 0, status: 'not_approved' },
    /shows 0 .* has 10/,
  ],
  [
    'an approval without a look at the bank',
    'a part that a MED took after the approval',
    { events: [['approved', 'administrator', 9, 10]] },
    /event 2 \(approved\) tells 10 .* had 6/,
  ],
  [
    'a MED told before it was made',
    'a part that a MED took after the approval',
    { events: [['approved', 'psp', 2, 6]] },
    /event 2 \(approved\) tells 6 .* had 10/,
  ],
  [
    'a MED not told a minute later',
    'a part that a MED took after the approval',
    { events: [...approved, ['paid', 'administrator', 90, 10]] },
    /event 3 \(paid\) tells 10 .* had 6/,
  ],
  [
    'approved with nothing left',
    'a whole MED of an approved one',
    { status: 'approved', amount: 0, events: approved },
    /it is approved, and the bank has nothing left/,
  ],
  [
    'taken out of its approval with something left',
    'a whole MED of an approved one',
    { pix: [pixOf('10.00', 1, devolucao('MED1', '4.00', 5))] },
    /event 3 says that nothing is left, where the bank had 600 centavos/,
  ],
  [
    'held as late, though paid in time',
    'one that was paid late',
    { pix: [pixOf('10.00', 15, devolucao('r1', '10.00', 40))] },
    /paid 5000 ms in time, and is held as late/,
  ],
  [
    'approved, though paid late',
    'one that was paid in time, and seen late',
    { pix: [pixOf('10.00', 23)] },
    /paid 3000 ms late, and approved it/,
  ],
  ['both Pix counted', 'one that was paid twice', { amount: 20 }, /shows 20 .* has 10/],
];

for (const [what, like, lie, says] of lies) {
  t.test(`caught: ${what}`, async (t) => {
    const found = amounts(caseOf({ ...honest[like]!, ...lie }));
    t.ok(
      found.some((breach) => breach.promise === 11 && says.test(breach.says)),
      JSON.stringify(found),
    );
  });
}

t.test('fees round half up, and are never above the amount', async (t) => {
  t.same(moneyOf(1_000, { feePercent: null, feeFixed: null }), {
    amount: 10,
    feeAmount: null,
    liquidValue: null,
  });
  t.same(moneyOf(50, { feePercent: 1, feeFixed: null }), { amount: 0.5, feeAmount: 0.01, liquidValue: 0.49 });
  t.same(moneyOf(49, { feePercent: 1, feeFixed: null }), { amount: 0.49, feeAmount: 0, liquidValue: 0.49 });
  t.same(moneyOf(500, { feePercent: 1, feeFixed: 9 }), { amount: 5, feeAmount: 5, liquidValue: 0 });
  t.same(moneyOf(1_000, { feePercent: 2.7525, feeFixed: 0.4 }), {
    amount: 10,
    feeAmount: 0.68,
    liquidValue: 9.32,
  });
});
