import t from 'tap';
import { money } from '../../src/promises/money.ts';
import { returns } from '../../src/promises/returns.ts';
import { caseOf, devolucao, type HandMade, pixOf, refundOf, txid } from '../hand-made.ts';

const ended = {
  state: 'failed',
  lastError: 'O valor é maior do que o que resta a devolver deste pagamento.',
};
const refused = { state: 'failed', lastError: 'Recusada' };

const honest: Record<string, HandMade> = {
  'a refund of a part': {
    status: 'approved',
    amount: 7,
    pix: [pixOf('10.00', 1, devolucao('r1', '3.00', 5))],
    refunds: [refundOf('r1', 3)],
    ordered: { r1: 300 },
    events: [['approved', 'psp', 2]],
  },
  'two refunds, one of them less than was ordered, since a MED came first': {
    status: 'not_approved',
    amount: 10,
    pix: [
      pixOf('10.00', 1, devolucao('r1', '3.00', 5), devolucao('MED1', '5.00', 6), devolucao('r2', '2.00', 7)),
    ],
    refunds: [refundOf('r1', 3), refundOf('MED1', 5), refundOf('r2', 2)],
    ordered: { r1: 300, r2: 400 },
    events: [
      ['approved', 'psp', 2],
      ['not_approved', 'refund', 8],
    ],
  },
  'a named amount that fits no more, since a MED came first': {
    status: 'approved',
    amount: 5,
    pix: [pixOf('10.00', 1, devolucao('MED1', '5.00', 6))],
    refunds: [refundOf('MED1', 5), refundOf('r1', 6, ended)],
    ordered: { r1: 600 },
    named: ['r1'],
    events: [['approved', 'psp', 2]],
  },
  'a refund that the bank refused, and made when it was ordered again': {
    status: 'approved',
    amount: 7,
    pix: [pixOf('10.00', 1, devolucao('r1', '3.00', 5, 'NAO_REALIZADO'), devolucao('r2', '3.00', 7))],
    refunds: [refundOf('r1', 3, refused), refundOf('r2', 3)],
    ordered: { r1: 300 },
    events: [['approved', 'psp', 2]],
  },
  'a refund that the bank refused for good': {
    status: 'approved',
    amount: 10,
    pix: [pixOf('10.00', 1, devolucao('r1', '3.00', 5, 'NAO_REALIZADO'))],
    refunds: [refundOf('r1', 3, { ...refused, owedAmount: 3 })],
    ordered: { r1: 300 },
    events: [['approved', 'psp', 2]],
  },
  'a rejected one that the bank refuses to give back': {
    status: 'not_approved',
    amount: 10,
    pix: [pixOf('15.00', 1, devolucao('r1', '15.00', 5, 'NAO_REALIZADO'))],
    refunds: [refundOf('r1', 15, { ...refused, owedAmount: 15 })],
    events: [
      ['review', 'psp', 2],
      ['not_approved', 'administrator', 3],
    ],
  },
  'a second Pix that went back': {
    status: 'approved',
    amount: 10,
    pix: [pixOf('10.00', 1), pixOf('10.00', 2, devolucao('r1', '10.00', 3))],
    refunds: [refundOf('r1', 10, { endToEndId: 'E2' })],
    events: [['approved', 'psp', 2]],
  },
  'a second Pix that is to be ordered again': {
    status: 'approved',
    amount: 10,
    pix: [pixOf('10.00', 1), pixOf('10.00', 2, devolucao('r1', '10.00', 3, 'NAO_REALIZADO'))],
    refunds: [refundOf('r1', 10, { ...refused, endToEndId: 'E2', orderAgainAt: '2026-11-23T13:00:00Z' })],
    events: [['approved', 'psp', 2]],
  },
};

t.test('an honest history gives back what it must, and tells what it owes', async (t) => {
  for (const [what, made] of Object.entries(honest))
    t.same([...returns(caseOf(made)), ...money(caseOf(made))], [], what);
});

const part = 'a refund of a part';
const second = 'a second Pix that went back';
const owing = 'a rejected one that the bank refuses to give back';

const lies: [what: string, like: string, made: Partial<HandMade>, says: RegExp][] = [
  [
    'a return that is not known',
    part,
    { refunds: [], ordered: {} },
    /11: refund r1 .* is recorded as nothing/,
  ],
  [
    'a return of another amount',
    part,
    { refunds: [refundOf('r1', 2)] },
    /11: refund r1 of 3.00 is recorded as 2/,
  ],
  [
    'a return in another state',
    part,
    { refunds: [refundOf('r1', 3, refused)] },
    /11: refund r1 is DEVOLVIDO, and recorded as failed/,
  ],
  [
    'a MED that is said to be ours',
    'two refunds, one of them less than was ordered, since a MED came first',
    { refunds: [refundOf('r1', 3), refundOf('MED1', 5, { origin: 'service' }), refundOf('r2', 2)] },
    /11: refund MED1 .* is recorded as service/,
  ],
  ['an order that is lost', part, { ordered: { r1: 300, r9: 100 } }, /11: refund r9 was ordered, and is not/],
  [
    'more than was ordered',
    part,
    { ordered: { r1: 200 } },
    /4: .* 300 centavos went back, where 200 were ordered/,
  ],
  [
    'an order that the bank was never asked for',
    part,
    { ordered: { r1: 500 } },
    /11: .* 200 centavos are to go back, and 0 are shown as owed/,
  ],
  [
    'a named amount that was cut',
    'a named amount that fits no more, since a MED came first',
    { refunds: [refundOf('MED1', 5), refundOf('r1', 5, ended)] },
    /11: refund r1 of 600 centavos is recorded as 5/,
  ],
  [
    'a named amount that ended, though it fits',
    part,
    { refunds: [refundOf('r1', 3), refundOf('r2', 1, ended)], ordered: { r1: 300, r2: 100 } },
    /11: refund r2 has ended, and the bank had taken nothing/,
  ],
  [
    'a second Pix that is kept in review',
    second,
    { pix: [pixOf('10.00', 1), pixOf('10.00', 2)], refunds: [] },
    /11: .* of Pix E2 1000 centavos are to go back, and 0 are shown as owed/,
  ],
  [
    'a part of a second Pix that is kept',
    second,
    {
      pix: [pixOf('10.00', 1), pixOf('10.00', 2, devolucao('r1', '9.00', 3))],
      refunds: [refundOf('r1', 9, { endToEndId: 'E2' })],
    },
    /11: .* of Pix E2 100 centavos/,
  ],
  [
    'a debt that is not shown',
    owing,
    { refunds: [refundOf('r1', 15, refused)] },
    /11: .* 1500 centavos are to go back, and 0 are shown/,
  ],
  [
    'a debt that is not in the list',
    owing,
    { refundsNotMade: [] },
    /11: .* the list of refunds and the payment differ/,
  ],
  [
    'a debt of more than is left',
    owing,
    { refunds: [refundOf('r1', 15, { ...refused, owedAmount: 20 })] },
    /11: .* 2000 are shown as owed/,
  ],
  [
    'a debt, though the bank would have made it',
    owing,
    { pix: [pixOf('15.00', 1)] },
    /11: .* the bank has refused none of it/,
  ],
  [
    'a Pix of ours that is said to fit no payment',
    part,
    { unmatched: [{ endToEndId: 'E9', txid, amount: 10, reason: 'no_payment' }] },
    /11: Pix E9 of charge .* unmatched/,
  ],
  [
    'a refund that never ends',
    part,
    { refunds: [refundOf('r1', 3, { state: 'processing' })] },
    /4: refund r1 is still processing/,
  ],
  [
    'more than was received',
    part,
    { pix: [pixOf('10.00', 1, devolucao('r1', '3.00', 5), devolucao('r2', '8.00', 5))] },
    /4: more than Pix E1 went back/,
  ],
];

for (const [what, like, lie, says] of lies) {
  t.test(`caught: ${what}`, async (t) => {
    const run = caseOf({ ...honest[like]!, ...lie });
    const found = [...returns(run), ...money(run)].map((breach) => `${breach.promise}: ${breach.says}`);
    t.ok(
      found.some((one) => says.test(one)),
      found.join('\n') || 'nothing was found',
    );
  });
}
