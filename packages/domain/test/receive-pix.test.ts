import fc from 'fast-check';
import t from 'tap';
import { type PixEffect, type Receivable, receivePix } from '../src/receive-pix.ts';
import { mayTransition, paymentStatuses } from '../src/status.ts';

const pending: Receivable = { status: 'pending', amount: 1_000, reviewAbove: null, received: false };
const approved: PixEffect = { kind: 'transition', to: 'approved', reason: 'paid' };
const review = (reason: string): PixEffect => ({ kind: 'transition', to: 'review', reason });
const refund: PixEffect = { kind: 'refund', reason: 'second_pix' };

const table: [name: string, payment: Partial<Receivable>, amount: number, effect: PixEffect][] = [
  ['exactly the amount', {}, 1_000, approved],
  ['a centavo less', {}, 999, review('amount_differs')],
  ['a centavo more', {}, 1_001, review('amount_differs')],
  ['a centavo', {}, 1, review('amount_differs')],
  ['below the review threshold', { reviewAbove: 1_001 }, 1_000, approved],
  ['at the review threshold', { reviewAbove: 1_000 }, 1_000, review('review_above')],
  ['above the review threshold', { reviewAbove: 500 }, 1_000, review('review_above')],
  ['another amount, above the threshold', { reviewAbove: 500 }, 900, review('amount_differs')],
  ['late, exactly the amount', { status: 'not_approved' }, 1_000, review('late')],
  ['late, another amount', { status: 'not_approved' }, 7, review('late')],
  ['a second one, while pending', { received: true }, 1_000, refund],
  ['a second one, late', { status: 'not_approved', received: true }, 1_000, refund],
  ['a second one, in review', { status: 'review', received: true }, 1_000, refund],
  ['a second one, once approved', { status: 'approved', received: true }, 1_000, refund],
  ['a second one, once paid', { status: 'paid', received: true }, 1_000, refund],
  ['a second one, once rejected', { status: 'rejected', received: true }, 1_000, refund],
];
for (const [name, payment, amount, effect] of table) {
  t.test(name, async (t) => t.strictSame(receivePix({ ...pending, ...payment }, amount), effect));
}

t.test('whatever it does is a move that the bank side may make, and only exact money approves', async () => {
  const anyPayment = fc.record({
    status: fc.constantFrom(...paymentStatuses),
    amount: fc.integer({ min: 500, max: 2_000 }),
    reviewAbove: fc.option(fc.integer({ min: 1, max: 3_000 })),
    received: fc.boolean(),
  });
  fc.assert(
    fc.property(anyPayment, fc.integer({ min: 1, max: 3_000 }), (payment, amount) => {
      const effect = receivePix(payment, amount);
      if (effect.kind === 'refund')
        return payment.received || !['pending', 'not_approved'].includes(payment.status);
      if (effect.to === 'approved' && amount !== payment.amount) return false;
      return !payment.received && mayTransition(payment.status, effect.to, 'psp');
    }),
  );
});
