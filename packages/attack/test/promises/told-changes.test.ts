import t from 'tap';
import type { FeedItem } from '../../src/observations.ts';
import { toldChanges } from '../../src/promises/told-changes.ts';
import { caseOf, type HandMade, refundOf } from '../hand-made.ts';

const made: HandMade = { status: 'approved', amount: 7.5, events: [['approved', 'psp', 1]] };
const { id: paymentId, ...shown } = caseOf(made).evidence.payments[0]!.read.body;
const money = { amount: 7.5, feeAmount: 0.75 };
const item = (number: number, body: FeedItem['body'], type = 'payment.status_changed'): FeedItem => ({
  id: `event-${number}`,
  type,
  paymentId,
  body: { id: paymentId, ...shown, ...body },
});
const feed = [item(0, { status: 'pending' }, 'payment.created'), item(1, money)];

const says = (more: Partial<HandMade>) =>
  toldChanges(caseOf({ ...made, feed, followed: feed, ...more })).map((breach) => breach.says);

t.test('what was followed, what is read at the end and what the database has are the same', async (t) => {
  t.same(says({}), []);
});

t.test('an event that a reader passed, saw twice, or in another order', async (t) => {
  t.match(says({ followed: feed.slice(1) }), [/skipped 1/]);
  t.match(says({ followed: [...feed, feed[1]!] }), [/something twice/]);
  t.match(says({ followed: feed.toReversed() }), [/another order/]);
});

t.test('an event that the feed does not have', async (t) => {
  t.match(says({ feed: feed.slice(0, 1), followed: feed.slice(0, 1) }), [/its feed has the events/]);
});

t.test('a read that shows what no event told', async (t) => {
  const stale = [feed[0]!, item(1, { amount: 10 })];
  t.match(says({ feed: stale, followed: stale }), [/a read shows amount 7.5, its last event told 10/]);
});

t.test('a refund that no event told, or told otherwise', async (t) => {
  const refunds = [refundOf('R1', 2.5)];
  t.match(says({ refunds }), [/refund R1 is refunded of 2.5, its last event says undefined/]);
});
