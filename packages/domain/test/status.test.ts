import t from 'tap';
import {
  isConfirmed,
  isDecision,
  isPaidOut,
  type Mover,
  mayTransition,
  type PaymentStatus,
  paidOutStatuses,
  paymentStatuses,
} from '../src/status.ts';

/** Every allowed transition (Contract: transitions). All others are refused. */
const allowed: [from: PaymentStatus, to: PaymentStatus, actor: Mover][] = [
  ['pending', 'approved', 'psp'],
  ['pending', 'review', 'psp'],
  ['pending', 'not_approved', 'expiry'],
  ['pending', 'not_approved', 'refund'],
  ['pending', 'not_approved', 'administrator'],
  ['pending', 'not_approved', 'store'],
  ['not_approved', 'approved', 'psp'],
  ['not_approved', 'review', 'psp'],
  ['review', 'approved', 'administrator'],
  ['review', 'not_approved', 'administrator'],
  ['review', 'not_approved', 'review-timeout'],
  ['review', 'not_approved', 'refund'],
  ['approved', 'paid', 'administrator'],
  ['approved', 'not_approved', 'refund'],
  ['paid', 'not_approved', 'refund'],
  ['paid', 'withdrawal_processing', 'administrator'],
  ['withdrawal_processing', 'receipt_sent', 'administrator'],
  ['withdrawal_processing', 'rejected', 'administrator'],
  ['rejected', 'withdrawal_processing', 'administrator'],
];
const actors: Mover[] = ['psp', 'expiry', 'review-timeout', 'refund', 'administrator', 'store'];
const key = (...move: string[]) => move.join(' → ');
const moves = new Set(allowed.map((move) => key(...move)));

t.test('the statuses in the order of the contract', async (t) => {
  t.strictSame(paymentStatuses, [
    'pending',
    'approved',
    'review',
    'not_approved',
    'paid',
    'withdrawal_processing',
    'receipt_sent',
    'rejected',
  ]);
});

t.test('the statuses that confirm money, and those whose withdrawal has begun', async (t) => {
  const withdrawn: PaymentStatus[] = ['withdrawal_processing', 'receipt_sent', 'rejected'];
  t.strictSame(paymentStatuses.filter(isConfirmed), ['approved', 'paid', ...withdrawn]);
  t.strictSame(paidOutStatuses, withdrawn);
  for (const status of paymentStatuses) {
    t.equal(isPaidOut(status), paidOutStatuses.includes(status), status);
  }
});

for (const from of paymentStatuses) {
  for (const to of paymentStatuses) {
    t.test(`${from} → ${to}`, async (t) => {
      for (const actor of actors)
        t.equal(mayTransition(from, to, actor), moves.has(key(from, to, actor)), actor);
    });
  }
}

t.test('an administrator or the store decides, the bank and the rules do not', async (t) => {
  t.strictSame(actors.filter(isDecision), ['administrator', 'store']);
});
