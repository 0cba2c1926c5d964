import t from 'tap';
import type { Collected, Notice } from '../src/kinds.ts';
import { postBody } from '../src/post.ts';

const url = 'https://panel.example/panel/reviews';
const rendered = { subject: '2 pagamentos em análise', text: 'mais', html: '<p>mais</p>', url };
const occurredAt = new Date('2026-11-23T12:00:00Z');
const review = (paymentId: string, storeId = 'store-1'): Notice => ({
  kind: 'review_waiting',
  key: paymentId,
  storeId,
  occurredAt,
  facts: { paymentId, amount: 1_000, reason: 'late' },
});
const bodyOf = (collected: Collected) => JSON.parse(postBody(collected, rendered));
const text = `2 pagamentos em análise\n${url}`;
const time = occurredAt.toISOString();

t.same(
  bodyOf({ kind: 'review_waiting', total: 1, notices: [review('payment-1')] }),
  { kind: 'review_waiting', text, url, occurredAt: time, paymentId: 'payment-1', storeId: 'store-1' },
  'the ids of one thing are fields of their own',
);
t.same(
  bodyOf({ kind: 'review_waiting', total: 2, notices: [review('payment-1'), review('payment-2')] }),
  {
    kind: 'review_waiting',
    text,
    url,
    occurredAt: time,
    storeId: 'store-1',
    count: 2,
    notices: [
      { occurredAt: time, paymentId: 'payment-1', storeId: 'store-1' },
      { occurredAt: time, paymentId: 'payment-2', storeId: 'store-1' },
    ],
  },
  'of several, what they have in common',
);
t.match(
  Object.keys(bodyOf({ kind: 'review_waiting', total: 99, notices: [review('payment-1')] })),
  ['kind', 'text', 'url', 'occurredAt', 'count', 'notices'],
  'those that are not named may have other ids',
);

const refundOf = (paymentId: string | null): Notice => ({
  kind: 'refund_owed',
  key: 'E1 refund-1',
  storeId: paymentId && 'store-1',
  occurredAt,
  facts: { endToEndId: 'E1', refundId: 'refund-1', paymentId, amount: 400 },
});
t.same(bodyOf({ kind: 'refund_owed', total: 1, notices: [refundOf(null)] }), {
  kind: 'refund_owed',
  text,
  url,
  occurredAt: time,
  refundId: 'refund-1',
  endToEndId: 'E1',
});
