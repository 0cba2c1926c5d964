import { Webhook } from 'standardwebhooks';
import t, { type Test } from 'tap';
import { openScene, openShop, type Shop } from './scene.ts';
import { type Visit, watchReceiver } from './watched-receiver.ts';

const { system, sql } = await openScene(t);
const openStore = () => openShop({ ...system, call: system.api });

/** Like a store's backend: the public library, the secret, the raw body and the headers. */
const verify = (secret: string, { body, headers }: Visit) =>
  new Webhook(secret).verify(body, headers as Record<string, string>);

const secretOf = async ({ id }: Shop) => (await system.admin(`/admin/stores/${id}/webhook-secret`)).body;
const rotate = async ({ id }: Shop) =>
  (await system.admin(`/admin/stores/${id}/webhook-secret/rotate`, { method: 'POST' })).body;

/** One payment's `payment.created` as received. */
async function webhookOf(t: Test, shop: Shop): Promise<{ visit: Visit; payment: Record<string, unknown> }> {
  const receiver = await watchReceiver(t);
  const payment = await shop.charge(receiver.at('/webhook?order=7'));
  await receiver.until(() => receiver.visits.length === 1);
  return { visit: receiver.visits[0]!, payment };
}

t.test('a receiver verifies a webhook with the public library, and refuses anything else', async (t) => {
  const [shop, other] = [await openStore(), await openStore()];
  const { visit, payment } = await webhookOf(t, shop);
  const { secret } = await secretOf(shop);
  t.match(secret, /^whsec_/);
  t.same(verify(secret, visit), { event: 'payment.created', ...payment });
  t.equal(visit.headers['content-type'], 'application/json');
  t.match(visit.headers['user-agent'], /^public-payments\/\d+\.\d+\.\d+$/);
  t.equal(visit.path, '/webhook?order=7');

  t.throws(() => verify(secret, { ...visit, body: visit.body.replace('10', '1') }), 'another amount');
  const withId = { ...visit.headers, 'webhook-id': crypto.randomUUID() };
  t.throws(() => verify(secret, { ...visit, headers: withId }), 'another id');
  const stamped = { ...visit.headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) - 600) };
  t.throws(() => verify(secret, { ...visit, headers: stamped }), 'an old timestamp');
  const { secret: foreign } = await secretOf(other);
  t.not(foreign, secret);
  t.throws(() => verify(foreign, visit), 'another store’s secret');
});

t.test('after a rotation both secrets verify for 24 hours, then only the new one', async (t) => {
  const shop = await openStore();
  const { secret: old } = await secretOf(shop);
  const rotated = await rotate(shop);
  t.not(rotated.secret, old);
  t.equal(rotated.previousSecret, old);
  t.same(await secretOf(shop), rotated);
  const overlap = Date.parse(rotated.previousUntil) - Date.now();
  t.ok(Math.abs(overlap - 24 * 3_600_000) < 60_000);

  const { visit } = await webhookOf(t, shop);
  t.equal(String(visit.headers['webhook-signature']).split(' ').length, 2);
  t.ok(verify(old, visit));
  t.ok(verify(rotated.secret, visit));

  await sql('update stores set previous_webhook_secret_until = now() where id = $1', [shop.id]);
  const { visit: later } = await webhookOf(t, shop);
  t.throws(() => verify(old, later));
  t.ok(verify(rotated.secret, later));
  t.equal(String(later.headers['webhook-signature']).split(' ').length, 1);
  t.match(await secretOf(shop), { secret: rotated.secret, previousSecret: null, previousUntil: null });
});

t.test('a retry after a rotation is signed with the secrets then in force', async (t) => {
  const shop = await openStore();
  const receiver = await watchReceiver(t);
  receiver.answerWith(() => ({ status: 410 }));
  const payment = await shop.charge(receiver.at('/'));
  const { id } = await shop.until(payment, 0, 'dead', ({ state }) => state === 'dead');
  const { secret: leaked } = await secretOf(shop);
  // Two rotations revoke a leaked secret at once.
  const { secret: second } = await rotate(shop);
  const { secret, previousSecret } = await rotate(shop);
  t.equal(previousSecret, second);
  await system.admin(`/admin/deliveries/${id}/redeliver`, { method: 'POST' });
  await receiver.until(() => receiver.visits.length === 2);
  const [first, again] = receiver.visits as [Visit, Visit];
  t.equal(first.body, again.body);
  t.ok(verify(leaked, first));
  t.throws(() => verify(leaked, again));
  t.ok(verify(secret, again));
});
