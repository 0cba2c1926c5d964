import type { UnmatchedPix } from '@payments/database/charges/unmatched-pix';
import type { StoredPayment } from '@payments/database/payments/payments';
import t from 'tap';
import { asApproved, moneyOf } from '../src/balance.ts';

t.test('a review is timed out once its time-out is stored', async (t) => {
  const payment = { status: 'review', charged: 1_000, reviewTimedOutAt: null } as StoredPayment;
  t.strictSame(moneyOf(payment), { status: 'review', charged: 1_000, isTimedOut: false });
  t.match(moneyOf({ ...payment, reviewTimedOutAt: new Date() }), { isTimedOut: true });
});

t.test('an unmatched Pix is money as if a payment were approved by it', async (t) => {
  const pix = { endToEndId: 'E1', amount: 700 } as UnmatchedPix;
  t.strictSame(asApproved(pix), {
    payment: { status: 'approved', charged: 700, isTimedOut: false },
    pix: [{ endToEndId: 'E1', amount: 700, counts: true }],
  });
});
