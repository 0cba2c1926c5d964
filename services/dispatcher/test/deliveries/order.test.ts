import { eventually } from '@payments/testing/system';
import t from 'tap';
import { openScene } from './scene.ts';
import { type Visit, watchReceiver } from './watched-receiver.ts';

// No answer is too late on a slow machine, and no retry comes between.
const env = { WEBHOOK_TIMEOUT_MS: '60000', WEBHOOK_RETRY_SECONDS: '3600' };
const { shop } = await openScene(t, { env });

const story = (visits: readonly Visit[]) => visits.map(({ json }) => `${json.event} ${json.status}`);
const created = 'payment.created pending';
const changes = ['approved', 'paid', 'withdrawal_processing', 'receipt_sent'];
const whole = [created, ...changes.map((status) => `payment.status_changed ${status}`)];

/** Creates a payment and moves it through five events, faster than any receiver responds. */
async function fiveEvents(url: string) {
  const payment = await shop.charge(url);
  await shop.pay(payment);
  await eventually('the Pix to count', () => shop.move(payment, 'paid').then(yes, notYet));
  for (const status of changes.slice(2)) await shop.move(payment, status);
  return payment;
}

const yes = () => true;
const notYet = () => undefined;

t.test('a slow receiver gets a payment’s events one after the other', async (t) => {
  const receiver = await watchReceiver(t);
  const allMade = Promise.withResolvers<void>();
  receiver.answerWith(() => ({ after: allMade.promise, delayMs: 20 }));
  await fiveEvents(receiver.at('/'));
  allMade.resolve();
  await receiver.until(() => receiver.visits.length === whole.length);
  t.same(story(receiver.visits), whole);
  t.equal(receiver.mostAtOnce(), 1);
});

t.test('a failed event does not delay the next one', async (t) => {
  const receiver = await watchReceiver(t);
  receiver.answerWith(({ json }) => ({
    status: json.status === 'pending' || json.status === 'paid' ? 500 : 200,
  }));
  const payment = await fiveEvents(receiver.at('/'));
  await receiver.until(() => receiver.visits.length === whole.length);
  t.same(story(receiver.visits), whole);
  await shop.until(payment, 4, 'delivered', ({ state }) => state === 'delivered');
  const states = (await shop.deliveries(payment)).map(({ state }) => state);
  t.same(states, ['pending', 'delivered', 'pending', 'delivered', 'delivered']);
});

t.test('a hanging event delays the next one by its time-out only', async (t) => {
  // Long enough for the first event to arrive on a slow machine.
  const timeoutMs = 5_000;
  const hasty = await openScene(t, { env: { ...env, WEBHOOK_TIMEOUT_MS: String(timeoutMs) } });
  const receiver = await watchReceiver(t);
  receiver.answerWith(({ json }) => (json.event === 'payment.created' ? { instead: 'hang' } : {}));
  const payment = await hasty.shop.charge(receiver.at('/'));
  await receiver.until(() => receiver.visits.length === 1);
  await hasty.shop.pay(payment);
  await receiver.until(() => receiver.visits.length === 2);
  t.same(story(receiver.visits), whole.slice(0, 2));
  const [first, second] = receiver.visits;
  t.ok(
    (second?.arrivedAt ?? 0) >= (first?.endedAt ?? Number.POSITIVE_INFINITY),
    'not before the first has ended',
  );
  const [created] = await hasty.shop.deliveries(payment);
  t.match(created, { state: 'pending', attempts: [{ number: 1, stage: 'timeout' }] }, 'nor after its retry');
});

t.test('events after a dead one are sent', async (t) => {
  const receiver = await watchReceiver(t);
  receiver.answerWith(({ json }) => ({ status: json.event === 'payment.created' ? 410 : 200 }));
  const payment = await shop.charge(receiver.at('/'));
  await shop.until(payment, 0, 'dead', ({ state }) => state === 'dead');
  await shop.pay(payment);
  await shop.until(payment, 1, 'delivered', ({ state }) => state === 'delivered');
  t.same(story(receiver.visits), whole.slice(0, 2));
});
