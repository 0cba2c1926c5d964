import t from 'tap';
import { isEndState, type PayerState, payerState } from '../src/payer-state.ts';
import { type PaymentStatus, paymentStatuses } from '../src/status.ts';

const now = new Date('2026-11-23T12:00:00Z');
const [later, earlier] = [new Date(now.getTime() + 1), new Date(now.getTime() - 1)];

const pending: [hasCode: boolean, expiresAt: Date, state: PayerState][] = [
  [true, later, 'waiting'],
  [false, later, 'preparing'],
  [true, now, 'overdue'],
  [true, earlier, 'overdue'],
  [false, earlier, 'overdue'],
];
for (const [hasCode, expiresAt, state] of pending) {
  t.test(
    `pending, ${hasCode ? 'with' : 'without'} a code, until ${expiresAt.toISOString()}: ${state}`,
    async (t) => t.equal(payerState({ status: 'pending', hasCode, expiresAt }, now), state),
  );
}

const others: Record<Exclude<PaymentStatus, 'pending'>, PayerState> = {
  approved: 'paid',
  review: 'review',
  not_approved: 'closed',
  paid: 'paid',
  withdrawal_processing: 'paid',
  receipt_sent: 'paid',
  rejected: 'paid',
};
t.test('any other status, whatever the time', async (t) => {
  for (const status of paymentStatuses) {
    if (status === 'pending') continue;
    for (const expiresAt of [earlier, later])
      t.equal(payerState({ status, hasCode: true, expiresAt }, now), others[status], status);
  }
});

t.test('a page waits until the money is confirmed, or nothing can come', async (t) => {
  for (const state of ['preparing', 'waiting', 'overdue', 'review'] as const)
    t.notOk(isEndState(state), state);
  for (const state of ['paid', 'closed'] as const) t.ok(isEndState(state), state);
});
