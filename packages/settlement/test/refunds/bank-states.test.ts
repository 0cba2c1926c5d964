import type { Refund } from '@payments/database/refunds/refunds';
import type { Refund as PspRefund } from '@payments/pix/client';
import t from 'tap';
import { askAgainAt, notMade, refundStateOf } from '../../src/refunds/sync-refunds.ts';

const made: PspRefund = {
  id: 'D1',
  rtrId: null,
  amount: 500,
  nature: null,
  status: 'DEVOLVIDO',
  reason: null,
  settledAt: null,
};

t.test('a refund’s state by the bank’s status', async (t) => {
  t.equal(refundStateOf(made), 'refunded');
  t.equal(refundStateOf({ ...made, status: 'EM_PROCESSAMENTO' }), 'processing');
  t.equal(refundStateOf({ ...made, status: 'NAO_REALIZADO' }), 'failed');
});

t.test('a refund in progress is asked for within seconds, then up to every hour', async (t) => {
  const now = new Date('2026-11-23T15:00:00Z');
  const seconds = (tries: number) => (askAgainAt(tries, now).getTime() - now.getTime()) / 1_000;
  t.same([1, 2, 10, 11, 100].map(seconds), [5, 10, 2_560, 3_600, 3_600]);
});

t.test('a refund that the bank did not make keeps its amount', async (t) => {
  t.strictSame(notMade({ id: 'D1', amount: 500 } as Refund), {
    ...made,
    status: 'NAO_REALIZADO',
  });
});
