import { startReceiver } from '@payments/testing/receiver';
import { startSystem } from '@payments/testing/system';
import { Webhook } from 'standardwebhooks';
import t from 'tap';

/** The webhook secret and its rotation with overlap (Contract: signature), with a fake clock. */
let clock = new Date();
const system = await startSystem({ now: () => clock });
t.teardown(system.stop);
const receiver = await startReceiver();
t.teardown(receiver.close);
const store = await system.createStore();
const path = `/admin/stores/${store.id}/webhook-secret`;
const form = /^whsec_[A-Za-z0-9+/]{43}=$/;

/** @returns a webhook sent now, and a check whether a secret verifies it */
async function send() {
  const body = { amount: 10, webhookUrl: receiver.url };
  const { body: payment } = await system.api('/api-public/payments', { token: store.token, body });
  const sent = await receiver.waitFor((request) => request.body.includes(payment.id));
  return (secret: string) => {
    try {
      new Webhook(secret).verify(sent.body, sent.headers as Record<string, string>);
      return true;
    } catch {
      return false;
    }
  };
}

t.test('the secret in force signs, alone', async (t) => {
  const { status, body } = await system.admin(path);
  t.equal(status, 200);
  t.match(body.secret, form);
  t.strictSame(body, { secret: body.secret, previousSecret: null, previousUntil: null });
  t.ok((await send())(body.secret));
  const other = await system.createStore();
  t.not((await system.admin(`/admin/stores/${other.id}/webhook-secret`)).body.secret, body.secret);
});

t.test('after a rotation both sign for 24 hours', async (t) => {
  const { secret: old } = (await system.admin(path)).body;
  const { status, body } = await system.admin(`${path}/rotate`, { method: 'POST' });
  t.equal(status, 200);
  t.match(body.secret, form);
  t.not(body.secret, old);
  t.equal(body.previousSecret, old);
  t.equal(Date.parse(body.previousUntil) - clock.getTime(), 24 * 3_600_000);
  t.strictSame((await system.admin(path)).body, body);
  const opens = await send();
  t.ok(opens(body.secret), 'the new one');
  t.ok(opens(old), 'and the old one');

  clock = new Date(clock.getTime() + 24 * 3_600_000 + 1);
  t.strictSame((await system.admin(path)).body, {
    secret: body.secret,
    previousSecret: null,
    previousUntil: null,
  });
});

t.test('two rotations in a row keep the last two', async (t) => {
  const { secret: first } = (await system.admin(path)).body;
  const { body: second } = await system.admin(`${path}/rotate`, { method: 'POST' });
  const { body: third } = await system.admin(`${path}/rotate`, { method: 'POST' });
  t.equal(third.previousSecret, second.secret);
  t.notMatch(JSON.stringify(third), first);
});
