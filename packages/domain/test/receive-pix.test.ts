import fc from 'fast-check';
import t from 'tap';
import { type PixEffect, type Receivable, receivePix } from '../src/receive-pix.ts';
import type { ReviewReason } from '../src/status.ts';
import { mayTransition, paymentStatuses } from '../src/status.ts';

const deadline = new Date('2026-11-23T12:00:00Z');
const inTime = deadline;
const tooLate = new Date(deadline.getTime() + 1);
const pending: Receivable = {
  status: 'pending',
  charged: 1_000,
  reviewAbove: null,
  received: false,
  cancelled: false,
  deadline,
};
const expired = { status: 'not_approved' } as const;
const cancelled = { status: 'not_approved', cancelled: true } as const;
const approved: PixEffect = { kind: 'transition', to: 'approved', reason: 'paid' };
const review = (reason: ReviewReason): PixEffect => ({ kind: 'transition', to: 'review', reason });
const refund: PixEffect = { kind: 'refund', reason: 'second_pix' };

const table: [name: string, payment: Partial<Receivable>, amount: number, paidAt: Date, effect: PixEffect][] =
  [
    ['exactly the amount', {}, 1_000, inTime, approved],
    ['a centavo less', {}, 999, inTime, review('amount_differs')],
    ['a centavo more', {}, 1_001, inTime, review('amount_differs')],
    ['a centavo', {}, 1, inTime, review('amount_differs')],
    ['below the review threshold', { reviewAbove: 1_001 }, 1_000, inTime, approved],
    ['at the review threshold', { reviewAbove: 1_000 }, 1_000, inTime, review('review_above')],
    ['above the review threshold', { reviewAbove: 500 }, 1_000, inTime, review('review_above')],
    ['another amount, above the threshold', { reviewAbove: 500 }, 900, inTime, review('amount_differs')],
    ['late, before it was closed', {}, 1_000, tooLate, review('late')],
    ['late, after it was closed', expired, 1_000, tooLate, review('late')],
    ['late, another amount', expired, 7, tooLate, review('late')],
    ['in time, seen after it was closed', expired, 1_000, inTime, approved],
    ['in time, seen late, another amount', expired, 999, inTime, review('amount_differs')],
    [
      'in time, seen late, at the threshold',
      { ...expired, reviewAbove: 1_000 },
      1_000,
      inTime,
      review('review_above'),
    ],
    ['in time, after it was cancelled', cancelled, 1_000, inTime, review('cancelled')],
    ['late, after it was cancelled', cancelled, 1_000, tooLate, review('cancelled')],
    ['a second one, while pending', { received: true }, 1_000, inTime, refund],
    ['a second one, after it was closed', { ...expired, received: true }, 1_000, inTime, refund],
    ['a second one, in review', { status: 'review', received: true }, 1_000, inTime, refund],
    ['a second one, once approved', { status: 'approved', received: true }, 1_000, inTime, refund],
    ['a second one, once paid', { status: 'paid', received: true }, 1_000, inTime, refund],
    ['a second one, once rejected', { status: 'rejected', received: true }, 1_000, inTime, refund],
  ];
for (const [name, payment, amount, paidAt, effect] of table) {
  t.test(name, async (t) =>
    t.strictSame(receivePix({ ...pending, ...payment }, { amount, kept: amount, paidAt }), effect),
  );
}

t.test('a Pix that went back before it was seen approves nothing', async (t) => {
  for (const payment of [pending, { ...pending, ...expired }, { ...pending, ...cancelled }])
    t.same(receivePix(payment, { amount: 1_000, kept: 0, paidAt: inTime }), { kind: 'gone' });
  t.same(receivePix({ ...pending, received: true }, { amount: 1_000, kept: 0, paidAt: inTime }), refund);
  t.same(receivePix(pending, { amount: 1_000, kept: 1, paidAt: inTime }), approved);
});

t.test('every effect is an allowed transition, and only the exact amount in time approves', async () => {
  const anyPayment = fc.record({
    status: fc.constantFrom(...paymentStatuses),
    charged: fc.integer({ min: 500, max: 2_000 }),
    reviewAbove: fc.option(fc.integer({ min: 1, max: 3_000 })),
    received: fc.boolean(),
    cancelled: fc.boolean(),
    deadline: fc.constant(deadline),
  });
  const anyPix = fc.record({
    amount: fc.integer({ min: 1, max: 3_000 }),
    kept: fc.integer({ min: 0, max: 3_000 }),
    paidAt: fc.constantFrom(inTime, tooLate),
  });
  fc.assert(
    fc.property(anyPayment, anyPix, (payment, pix) => {
      const effect = receivePix(payment, pix);
      if (effect.kind === 'refund')
        return payment.received || !['pending', 'not_approved'].includes(payment.status);
      if (effect.kind === 'gone') return pix.kept === 0 && !payment.received;
      const isExact = pix.amount === payment.charged && pix.paidAt <= payment.deadline && !payment.cancelled;
      if (effect.to === 'approved' && !isExact) return false;
      return !payment.received && mayTransition(payment.status, effect.to, 'psp');
    }),
  );
});
