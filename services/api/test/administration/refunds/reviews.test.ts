import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError, readFields } from '../../public/payments/expectations.ts';
import { panelClient } from '../panel-client.ts';

/** Reviews with the time left, and the overview. */
let offsetMs = 0;
const now = () => new Date(Date.now() + offsetMs);
const system = await startSystem({ dispatcher: false, now, env: { REVIEW_TIMEOUT_SECONDS: '600' } });
t.teardown(system.stop);
const { admin } = system;
const [store, other] = [await system.createStore(), await system.createStore({ reviewAbove: 10 })];
const overview = async () => (await admin('/admin/overview')).body;

const review = async (owner: { id: string; token: string }, valor: string) => {
  const body = await system.sell(owner, { amount: 20 }, { valor, until: 'review' });
  return body.id as string;
};

t.test('nothing waits', async (t) => {
  t.match((await admin('/admin/reviews')).body, { items: [], page: 1, limit: 50, total: 0 });
  t.strictSame(await overview(), {
    payments: {
      pending: 0,
      approved: 0,
      review: 0,
      not_approved: 0,
      paid: 0,
      withdrawal_processing: 0,
      receipt_sent: 0,
      rejected: 0,
    },
    reviews: { waiting: 0, oldestSince: null, nextDeadline: null },
    deliveries: { pending: 0, dead: 0 },
    refunds: { unfinished: 0, owed: 0, owedAmount: 0, toOrderAgain: 0, byBank: 0 },
    unmatchedPix: 0,
    chargeProblems: 0,
    endpoints: { failing: 0, open: 0 },
  });
});

t.test('longest first, with why they wait and how long they may', async (t) => {
  const differs = await review(store, '19.99');
  const above = await review(other, '20.00');
  const { items, total } = (await admin('/admin/reviews')).body;
  t.equal(total, 2);
  t.match(items, [
    {
      id: differs,
      reason: 'amount_differs',
      received: 19.99,
      approvable: 19.99,
      refundState: null,
      status: 'review',
    },
    { id: above, reason: 'review_above', received: 20, approvable: 20, refundState: null, storeId: other.id },
  ]);
  const extra = [
    'bank',
    'approvable',
    'deadline',
    'reason',
    'received',
    'refundState',
    'reviewSince',
    'secondsLeft',
  ];
  t.strictSame(Object.keys(items[0]).sort(), [...readFields, ...extra].sort());
  const { reviewSince, deadline, secondsLeft } = items[0];
  t.equal(Date.parse(deadline) - Date.parse(reviewSince), 600_000);
  const passed = (now().getTime() - Date.parse(reviewSince)) / 1_000;
  t.ok(secondsLeft >= 599 - passed && secondsLeft < 600, `${secondsLeft} s are left after ${passed}`);
  t.match(await overview(), {
    payments: { review: 2 },
    reviews: { waiting: 2, oldestSince: reviewSince, nextDeadline: deadline },
  });

  const ofStore = (await admin(`/admin/reviews?storeId=${other.id}`)).body;
  t.match(ofStore, { total: 1, items: [{ id: above }] });
  t.match((await admin('/admin/reviews?limit=1&page=2')).body, { total: 2, items: [{ id: above }] });
  offsetMs = 601_000;
  t.equal((await admin('/admin/reviews')).body.items[0].secondsLeft, 0, 'never less than nothing');
});

t.test('what is decided waits no longer', async (t) => {
  for (const { id } of (await admin('/admin/reviews')).body.items)
    await admin(`/admin/payments/${id}/status`, { body: { status: 'approved' } });
  t.match((await admin('/admin/reviews')).body, { items: [], total: 0 });
  t.match(await overview(), { payments: { review: 0, approved: 2 }, reviews: { waiting: 0 } });
});

t.test('a review whose time is over has no deadline, and its money is to go back', async (t) => {
  const person = panelClient(system.adminUrl);
  await person.signIn();
  const start = async () => (await person.get('/panel')).text;
  const over = await review(store, '1000.00');
  t.match(await start(), '<strong><span class="money">R$ 1.000,00</span></strong> em análise', 'received');

  await system.bank('/bank/faults', { refuseRefunds: true });
  offsetMs += 601_000;
  const dispatcher = await system.startDispatcher();
  await eventually('a refused refund', async () => {
    const { refunds } = (await admin(`/admin/payments/${over}`)).body;
    return refunds[0]?.state === 'failed' || undefined;
  });
  await dispatcher.close();
  t.match((await overview()).reviews, { waiting: 1, oldestSince: String, nextDeadline: null });
  t.notMatch(await start(), /em análise<\/li>|o próximo vence/);

  await review(store, '19.99');
  const [{ reviewSince }, { deadline }] = (await admin('/admin/reviews')).body.items;
  t.match((await overview()).reviews, { waiting: 2, oldestSince: reviewSince, nextDeadline: deadline });
  const shown = await start();
  t.match(shown, '<strong><span class="money">R$ 19,99</span></strong> em análise');
  t.match(shown, 'o próximo vence em');
});

const refused: [query: string, message: string][] = [
  ['page=x', 'page must be an integer number'],
  ['limit=0', 'limit must not be less than 1'],
  ['storeId=7', 'storeId must be a UUID'],
];
for (const [query, message] of refused) {
  t.test(`refused ${query}`, async (t) => isError(t, await admin(`/admin/reviews?${query}`), 400, message));
}
