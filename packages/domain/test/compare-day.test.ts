import t from 'tap';
import {
  addFigures,
  compareDay,
  type Entry,
  figuresOf,
  isWhole,
  type UnreadableEntry,
} from '../src/compare-day.ts';

const pix = (endToEndId: string, amount = 100, more: Partial<Entry> = {}): Entry => ({
  endToEndId,
  amount,
  ...more,
});
const refund = (endToEndId: string, refundId: string, amount = 10) => pix(endToEndId, amount, { refundId });

t.test('equal books have no difference, whatever their order', async (t) => {
  const bank = [pix('E1'), pix('E2', 5), refund('E1', 'R1')];
  t.same(compareDay(bank, bank.toReversed()), []);
});

t.test('an endToEndId, or the id of a return, in another case is no difference', async (t) => {
  t.same(compareDay([refund('E1', 'd1A')], [refund('E1', 'D1a')]), []);
  t.same(compareDay([pix('E1A'), refund('E1A', 'R1')], [pix('E1a'), refund('E1a', 'R1')]), []);
  const unreadable = [{ endToEndId: 'E1A', isRefund: false, isOfDay: true }];
  t.same(compareDay([], [pix('E1a')], unreadable), [
    { kind: 'unreadable', endToEndId: 'E1a', ourAmount: 100 },
  ]);
});

t.test('two Pix of one book whose endToEndIds differ in their case alone are two', async (t) => {
  const bank = [pix('E1A'), pix('E1a'), refund('E1a', 'R1')];
  t.same(compareDay(bank, bank), []);
  t.same(compareDay(bank, [pix('E1a'), refund('E1a', 'R1')]), [
    { kind: 'missing_here', endToEndId: 'E1A', bankAmount: 100 },
  ]);
});

t.test('each difference is named, with the amounts that there are', async (t) => {
  const bank = [
    pix('hidden', 100, { txid: 'tx1' }),
    pix('altered', 100),
    refund('E', 'lost'),
    refund('E', 'more', 7),
  ];
  const ours = [pix('altered', 101, { paymentId: 'p2' }), pix('invented', 9), refund('E', 'more', 8)];
  t.same(compareDay(bank, ours), [
    { kind: 'missing_here', endToEndId: 'hidden', txid: 'tx1', bankAmount: 100 },
    { kind: 'amount_differs', endToEndId: 'altered', paymentId: 'p2', bankAmount: 100, ourAmount: 101 },
    { kind: 'refund_missing_here', endToEndId: 'E', refundId: 'lost', bankAmount: 10 },
    { kind: 'refund_amount_differs', endToEndId: 'E', refundId: 'more', bankAmount: 7, ourAmount: 8 },
    { kind: 'missing_at_bank', endToEndId: 'invented', ourAmount: 9 },
  ]);
});

t.test('a refund of a Pix is not the Pix', async (t) => {
  t.match(compareDay([pix('E1')], [refund('E1', 'R1')]), [
    { kind: 'missing_here' },
    { kind: 'refund_missing_at_bank' },
  ]);
});

t.test('what can’t be read is a difference of its own, and nothing else', async (t) => {
  const unread = (endToEndId: string | null, more: Partial<UnreadableEntry> = {}): UnreadableEntry => ({
    ...{ endToEndId, isRefund: false, isOfDay: true },
    ...more,
  });
  const ofReturns = (endToEndId: string, isOfDay = true) => unread(endToEndId, { isRefund: true, isOfDay });
  const table: [
    name: string,
    bank: Entry[],
    ours: Entry[],
    unreadable: UnreadableEntry[],
    found: object[],
  ][] = [
    [
      'a Pix we lack',
      [],
      [],
      [unread('E1', { txid: 'tx1' })],
      [{ kind: 'unreadable', endToEndId: 'E1', txid: 'tx1' }],
    ],
    [
      'a Pix of a payment, on another day of ours',
      [],
      [],
      [unread('E1', { paymentId: 'p1' }), unread('E2', { paymentId: null })],
      [
        { kind: 'unreadable', endToEndId: 'E1', paymentId: 'p1' },
        { kind: 'unreadable', endToEndId: 'E2' },
      ],
    ],
    [
      'one without an endToEndId',
      [],
      [],
      [unread(null), unread(null)],
      [{ kind: 'unreadable' }, { kind: 'unreadable' }],
    ],
    [
      'a Pix on record: it is not missing at the bank',
      [],
      [pix('E1', 100, { paymentId: 'p1' })],
      [unread('E1', { paymentId: 'p1' })],
      [{ kind: 'unreadable', endToEndId: 'E1', paymentId: 'p1', ourAmount: 100 }],
    ],
    [
      'returns of a Pix that can’t be read',
      [],
      [refund('E1', 'R1')],
      [unread('E1', { isOfDay: false })],
      [{ kind: 'refund_unreadable', endToEndId: 'E1', refundId: 'R1', ourAmount: 10 }],
    ],
    [
      'an odd return beside the Pix itself',
      [pix('E1')],
      [pix('E1')],
      [ofReturns('E1')],
      [{ kind: 'refund_unreadable', endToEndId: 'E1' }],
    ],
    [
      'an odd return that may be ours',
      [pix('E1')],
      [pix('E1'), refund('E1', 'R1')],
      [ofReturns('E1')],
      [{ kind: 'refund_unreadable', endToEndId: 'E1', refundId: 'R1', ourAmount: 10 }],
    ],
    ['odd returns of another day', [pix('E2')], [pix('E2')], [ofReturns('E1', false)], []],
    [
      'an odd return does not explain a missing Pix',
      [],
      [pix('E1')],
      [ofReturns('E1', false)],
      [{ kind: 'missing_at_bank', endToEndId: 'E1', ourAmount: 100 }],
    ],
  ];
  for (const [name, bank, ours, unreadable, found] of table)
    t.same(compareDay(bank, ours, unreadable), found, name);
});

t.test('figures count Pix and returns apart', async (t) => {
  t.same(figuresOf([pix('E1', 100), pix('E2', 50), refund('E1', 'R1', 30)]), {
    pixCount: 2,
    pixAmount: 150,
    refundCount: 1,
    refundAmount: 30,
  });
});

t.test('the figures of several banks add up', async (t) => {
  const one = { pixCount: 2, pixAmount: 150, refundCount: 1, refundAmount: 30 };
  const other = { pixCount: 1, pixAmount: 7, refundCount: 3, refundAmount: 5 };
  t.same(addFigures([one, other]), { pixCount: 3, pixAmount: 157, refundCount: 4, refundAmount: 35 });
  t.same(addFigures([]), { pixCount: 0, pixAmount: 0, refundCount: 0, refundAmount: 0 });
});

t.test('a look sees the whole day half an hour after its end', async (t) => {
  for (const [seenAt, isSeen] of [
    ['2026-11-23T02:59:59.999Z', false],
    ['2026-11-23T03:00:00Z', false],
    ['2026-11-23T03:29:59.999Z', false],
    ['2026-11-23T03:30:00Z', true],
    ['2026-12-23T03:30:00Z', true],
  ] as const)
    t.equal(isWhole('2026-11-22', new Date(seenAt)), isSeen, seenAt);
});
