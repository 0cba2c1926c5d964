import t from 'tap';
import {
  finalAmount,
  isRefundWindowOver,
  type PixKept,
  type RefundRecord,
  refundableAmount,
  refundStates,
  refundView,
  statusAfterReturns,
} from '../src/refunds.ts';
import type { PaymentStatus } from '../src/status.ts';

const pix = (amount: number, counts = true): PixKept => ({
  endToEndId: counts ? 'E1' : 'E2',
  amount,
  counts,
  paidAt: new Date(0),
});
const another: PixKept = { ...pix(70), endToEndId: 'E3' };
const refund = (amount: number, state: RefundRecord['state'], of = 'E1'): RefundRecord => ({
  id: `${of}-${amount}-${state}`,
  endToEndId: of,
  origin: 'bank',
  state,
  amount,
  wanted: amount,
  exact: false,
  reason: 'MED_FRAUDE',
  replaces: null,
  reorders: 0,
  updatedAt: new Date(0),
});
const byService = (one: RefundRecord): RefundRecord => ({ ...one, origin: 'service', reason: 'ORIGINAL' });
const facts = (
  status: PaymentStatus,
  received: readonly PixKept[],
  refunds: readonly RefundRecord[],
  isTimedOut = false,
) => ({ payment: { status, charged: 10_000, isTimedOut }, pix: received, refunds });

const amounts: [name: string, given: Parameters<typeof finalAmount>[0], amount: number][] = [
  ['pending: what was charged', facts('pending', [], []), 10_000],
  ['in review: what was charged', facts('review', [pix(500)], []), 10_000],
  ['not approved: what was charged', facts('not_approved', [pix(500)], [refund(500, 'refunded')]), 10_000],
  ['approved: what was received', facts('approved', [pix(500)], []), 500],
  ['more than was charged', facts('approved', [pix(12_345)], []), 12_345],
  ['a second Pix does not count', facts('approved', [pix(500), pix(10_000, false)], []), 500],
  ['less what was given back', facts('paid', [pix(500)], [refund(200, 'refunded')]), 300],
  ['a refund in process is not deducted', facts('paid', [pix(500)], [refund(200, 'processing')]), 500],
  ['what was refused, too', facts('paid', [pix(500)], [refund(200, 'failed')]), 500],
  [
    'a refund of the second Pix is not deducted',
    facts('approved', [pix(500), pix(700, false)], [refund(700, 'refunded', 'E2')]),
    500,
  ],
  ['paid out, and taken back by the bank', facts('receipt_sent', [pix(500)], [refund(500, 'refunded')]), 0],
  ['a rejected withdrawal is the store’s money', facts('rejected', [pix(500)], []), 500],
];
for (const [name, given, amount] of amounts) {
  t.test(name, async (t) => t.equal(finalAmount(given), amount));
}

t.test('the refundable amount excludes refunds made and in progress', async (t) => {
  const refunds = [
    refund(100, 'refunded'),
    refund(50, 'processing'),
    refund(25, 'requested'),
    refund(300, 'failed'),
  ];
  t.equal(refundableAmount({ pix: [pix(500), pix(999, false)], refunds }), 325);
});

const ends: [name: string, given: Parameters<typeof statusAfterReturns>[0], status: PaymentStatus | null][] =
  [
    ['approved, all made', facts('approved', [pix(500)], [refund(500, 'refunded')]), 'not_approved'],
    [
      'paid, all made in parts',
      facts('paid', [pix(500)], [refund(200, 'refunded'), refund(300, 'refunded')]),
      'not_approved',
    ],
    ['approved, a part made', facts('approved', [pix(500)], [refund(499, 'refunded')]), null],
    ['approved, all in process', facts('approved', [pix(500)], [refund(500, 'processing')]), null],
    [
      'approved, only the second Pix made',
      facts('approved', [pix(500), pix(500, false)], [refund(500, 'refunded', 'E2')]),
      null,
    ],
    ['withdrawn, all made', facts('withdrawal_processing', [pix(500)], [refund(500, 'refunded')]), null],
    ['in review, all made, in time', facts('review', [pix(500)], [refund(500, 'refunded')]), null],
    [
      'in review, all made by our order: it was decided before a restore',
      facts('review', [pix(500)], [byService(refund(500, 'refunded'))]),
      'not_approved',
    ],
    [
      'in review, all accepted by our order',
      facts('review', [pix(500)], [byService(refund(500, 'processing'))]),
      'not_approved',
    ],
    [
      'in review, the bank’s part and the rest by our order',
      facts('review', [pix(500)], [refund(200, 'refunded'), byService(refund(300, 'refunded'))]),
      'not_approved',
    ],
    [
      'in review, a part by our order',
      facts('review', [pix(500)], [byService(refund(300, 'refunded'))]),
      null,
    ],
    [
      'in review, our order refused, and all taken by the bank',
      facts('review', [pix(500)], [byService(refund(500, 'failed')), refund(500, 'refunded')]),
      null,
    ],
    [
      'in review, all taken by the bank, and only the second Pix by our order',
      facts(
        'review',
        [pix(500), pix(70, false)],
        [refund(500, 'refunded'), byService(refund(70, 'refunded', 'E2'))],
      ),
      null,
    ],
    [
      'in review, timed out, all in process',
      facts('review', [pix(500)], [refund(500, 'processing')], true),
      'not_approved',
    ],
    ['in review, timed out, requested', facts('review', [pix(500)], [refund(500, 'requested')], true), null],
    [
      'in review, timed out, the second Pix refused',
      facts(
        'review',
        [pix(500), pix(70, false)],
        [refund(500, 'refunded'), refund(70, 'failed', 'E2')],
        true,
      ),
      'not_approved',
    ],
    ['pending, nothing received', facts('pending', [], []), null],
    ['approved, and no Pix that counts', facts('approved', [pix(500, false)], []), null],
    ['approved, one of two made', facts('approved', [pix(500), another], [refund(500, 'refunded')]), null],
    [
      'in review, one of two by our order, and all gone',
      facts(
        'review',
        [pix(500), another],
        [byService(refund(500, 'refunded')), refund(70, 'refunded', 'E3')],
      ),
      'not_approved',
    ],
    [
      'withdrawn, all made by our order',
      facts('withdrawal_processing', [pix(500)], [byService(refund(500, 'refunded'))]),
      null,
    ],
  ];
for (const [name, given, status] of ends) {
  t.test(name, async (t) => t.equal(statusAfterReturns(given), status));
}

const windows: [paidAt: string, at: string, isOver: boolean][] = [
  ['2026-08-01T12:00:00-03:00', '2026-08-01T12:00:00-03:00', false],
  ['2026-08-01T12:00:00-03:00', '2026-10-30T12:00:01-03:00', false],
  ['2026-08-01T12:00:00-03:00', '2026-10-30T23:59:59-03:00', false],
  ['2026-08-01T12:00:00-03:00', '2026-10-31T00:00:00-03:00', true],
  // By UTC this Pix is of the 2nd, by São Paulo's clocks of the 1st.
  ['2026-08-02T01:00:00Z', '2026-10-31T03:00:00Z', true],
];
for (const [paidAt, at, isOver] of windows) {
  t.test(`90 days to give back a Pix of ${paidAt}: at ${at}`, async (t) =>
    t.equal(isRefundWindowOver({ paidAt: new Date(paidAt) }, new Date(at)), isOver),
  );
}

const stored = {
  ...refund(1_234, 'requested'),
  id: 'D1',
  paymentId: 'P1',
  createdAt: new Date('2026-03-02T14:05:09.120Z'),
  updatedAt: new Date('2026-03-02T14:06:00.000Z'),
};

t.test('a refund as its store sees it', async (t) => {
  const { status, reason, ...fields } = refundView(stored);
  t.strictSame(fields, {
    id: 'D1',
    paymentId: 'P1',
    endToEndId: 'E1',
    amount: 12.34,
    createdAt: '2026-03-02T14:05:09.120Z',
    updatedAt: '2026-03-02T14:06:00.000Z',
  });
  t.equal(
    Object.keys(refundView(stored)).join(),
    'id,paymentId,endToEndId,amount,status,reason,createdAt,updatedAt',
    'in this order, and nothing else',
  );
});

const kinds: [origin: RefundRecord['origin'], reason: string, kind: string][] = [
  ['service', 'administrator', 'requested'],
  ['service', 'second_pix', 'second_pix'],
  ['service', 'rejected', 'rejected'],
  ['service', 'review_timeout', 'review_timeout'],
  ['bank', 'MED_FRAUDE', 'returned_by_bank'],
  ['bank', 'bank', 'returned_by_bank'],
  // The bank's own words never make it one of our rules.
  ['bank', 'rejected', 'returned_by_bank'],
  // An order of ours that a restored database lost.
  ['service', 'ORIGINAL', 'requested'],
];
for (const [origin, reason, kind] of kinds) {
  t.test(`a refund of the ${origin} for ${reason} is ${kind}`, async (t) =>
    t.equal(refundView({ ...stored, origin, reason }).reason, kind),
  );
}

for (const state of refundStates) {
  t.test(`a refund that is ${state} says so`, async (t) =>
    t.equal(refundView({ ...stored, state }).status, state),
  );
}
