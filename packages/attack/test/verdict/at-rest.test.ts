import t from 'tap';
import { isUnderWay } from '../../src/verdict/collect-evidence.ts';
import type { DeliveryShown, EventShown, PaymentDetail } from '../../src/verdict/evidence.ts';
import { caseOf, refundOf } from '../hand-made.ts';

const atRest = caseOf({
  status: 'approved',
  amount: 10,
  events: [['approved', 'psp', 1]],
}).evidence.payments[0]!.detail;

const isOpen = (change: Partial<PaymentDetail>) => isUnderWay({ ...atRest, ...change });

t.test('a payment is judged once no refund of it is in progress or waits for another order', async (t) => {
  t.notOk(isOpen({}));
  t.ok(isOpen({ refunds: [refundOf('D1', 1, { state: 'processing' })] }));
  t.ok(isOpen({ refunds: [refundOf('D1', 1, { state: 'failed', orderAgainAt: '2026-11-23T12:00:09Z' })] }));
  t.notOk(isOpen({ refunds: [refundOf('D1', 1, { state: 'failed', owedAmount: 1 })] }), 'a person must act');
});

t.test('a payment is judged once its last event is published, a moment after its commit', async (t) => {
  const published: EventShown = { ...atRest.events[0]!, id: 'event-2', sequence: 3, type: 'refund.updated' };
  t.notOk(isOpen({ updates: [published] }));
  t.ok(isOpen({ updates: [{ ...published, published: false }] }));
});

t.test('a payment is judged once each delivery has ended', async (t) => {
  const webhookUrl = 'http://receiver/store-0';
  const delivery: DeliveryShown = {
    id: 'event-0',
    eventId: 'event-0',
    state: 'delivered',
    createdAt: atRest.createdAt,
    lastError: null,
    attempts: [],
  };
  const of = (...states: string[]) => states.map((state) => ({ ...delivery, state }));
  t.ok(isOpen({ webhookUrl, deliveries: of('delivered') }));
  t.ok(isOpen({ webhookUrl, deliveries: of('delivered', 'pending') }));
  t.notOk(isOpen({ webhookUrl, deliveries: of('delivered', 'dead') }));
});
