import { readFileSync } from 'node:fs';
import { Webhook } from 'standardwebhooks';
import t from 'tap';
import { openScene, openShop } from './scene.ts';
import { watchReceiver } from './watched-receiver.ts';

/** A webhook that can't be signed is not sent: it is tried again, and never given up unsent. */
const { system, sql } = await openScene(t, { env: { WEBHOOK_RETRY_SECONDS: '0.1,0.1' } });
const open = () => openShop({ ...system, call: system.api });

t.test(
  'beyond the schedule and the bound of lost attempts it stays due, and is sent once signed',
  async (t) => {
    const [shop, other] = [await open(), await open()];
    const receiver = await watchReceiver(t);
    const [{ webhook_secret: right }] = await sql('select webhook_secret from stores where id = $1', [
      shop.id,
    ]);
    await sql(
      'update stores set webhook_secret = o.webhook_secret from stores o where stores.id = $1 and o.id = $2',
      [shop.id, other.id],
    );
    const payment = await shop.charge(receiver.at('/webhook'));
    const unsigned = await shop.until(payment, 0, 'nine attempts', ({ attempts }) => attempts.length >= 9);
    t.equal(unsigned.state, 'pending');
    t.match(unsigned.attempts.at(-1), {
      stage: 'signature',
      statusCode: null,
      error: 'signature: the webhook could not be signed',
    });
    t.equal(receiver.visits.length, 0);
    const { body } = await system.admin(`/admin/deliveries?paymentId=${payment.id}`);
    t.match(body.items, [{ state: 'pending', lastError: 'signature: the webhook could not be signed' }]);
    t.same(
      await sql('select 1 from failing_endpoints where store_id = $1', [shop.id]),
      [],
      'no fault of the receiver',
    );

    await sql('update stores set webhook_secret = $2 where id = $1', [shop.id, right]);
    await shop.until(payment, 0, 'delivered', ({ state }) => state === 'delivered');
    t.equal(receiver.visits.length, 1);
  },
);

t.test('after a lost key, the statements of the docs give every store a new secret that signs', async (t) => {
  const shop = await open();
  const receiver = await watchReceiver(t);
  await sql("update stores set webhook_secret = 'sealed:' || id");
  const page = readFileSync(new URL('../../../../deploy/personal-data.md', import.meta.url), 'utf8');
  const [, statements = ''] = /```sql\n(.+?)```/s.exec(page) ?? [];
  await sql(statements);
  const { body } = await system.admin(`/admin/stores/${shop.id}/webhook-secret`);
  t.match(body, { secret: /^whsec_[A-Za-z0-9+/]{43}=$/, previousSecret: null });
  const payment = await shop.charge(receiver.at('/webhook'));
  await shop.until(payment, 0, 'delivered', ({ state }) => state === 'delivered');
  t.ok(
    new Webhook(body.secret).verify(
      receiver.visits[0]!.body,
      receiver.visits[0]!.headers as Record<string, string>,
    ),
  );
});
