import { createHmac } from 'node:crypto';
import { type Received, startReceiver } from '@payments/testing/receiver';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { createClient, verifyWebhook, WebhookVerificationError } from '../src/index.ts';
import type { ReceivedWebhook } from '../src/webhooks.ts';

/** Verification of the running service's deliveries, including a rotation of the secret. */
const system = await startSystem({ env: { SCAN_INTERVAL_SECONDS: '1' } });
const receiver = await startReceiver();
t.teardown(async () => {
  await receiver.close();
  await system.stop();
});
const store = await system.createStore();
const secretPath = `/admin/stores/${store.id}/webhook-secret`;
const secretOf = async (): Promise<string> => (await system.admin(secretPath)).body.secret;
const payments = createClient({ baseUrl: system.url, token: store.token });

async function delivery(): Promise<Received> {
  const { id } = await payments.create({ amount: 19.9, observation: 'Açaí 🍇', webhookUrl: receiver.url });
  return receiver.waitFor(({ body }) => body.includes(id));
}

const oldSecret = await secretOf();
const { headers, body } = await delivery();
const sent = { headers, body, secret: oldSecret };
await system.admin(`${secretPath}/rotate`, { method: 'POST' });
const newSecret = await secretOf();
const inRotation = await delivery();

t.test('a delivery is accepted in every form', async (t) => {
  const { id, sentAt, event } = await verifyWebhook(sent);
  t.equal(id, headers['webhook-id']);
  t.ok(Math.abs(Date.now() - sentAt.getTime()) < 60_000);
  t.match(event, { event: 'payment.created', amount: 19.9, observation: 'Açaí 🍇', storeId: store.id });
  if (event.event === 'payment.status_changed') t.ok(event.previousStatus, 'the types know which it is');

  const given = Object.entries(headers as Record<string, string>);
  const forms: [form: string, received: ReceivedWebhook][] = [
    ['Fetch’s headers', { ...sent, headers: new Headers(given) }],
    [
      'names in capitals',
      { ...sent, headers: Object.fromEntries(given.map(([name, v]) => [name.toUpperCase(), v])) },
    ],
    ['values in lists', { ...sent, headers: Object.fromEntries(given.map(([name, v]) => [name, [v]])) }],
    ['headers of another implementation', { ...sent, headers: othersHeaders(given) }],
    ['bytes', { ...sent, body: new TextEncoder().encode(body) }],
    ['Node’s bytes', { ...sent, body: Buffer.from(body) }],
    ['several secrets', { ...sent, secret: [newSecret, oldSecret] }],
    ['the old secret in a rotation', { ...inRotation, secret: oldSecret }],
    ['the new secret in a rotation', { ...inRotation, secret: newSecret }],
    ['ten minutes later, where that is allowed', { ...sent, now: later(600), toleranceSeconds: 900 }],
  ];
  for (const [form, received] of forms) await t.resolves(verifyWebhook(received), form);
});

t.test('anything else is refused', async (t) => {
  const of = (changed: Record<string, string | undefined>) => ({
    ...sent,
    headers: { ...headers, ...changed },
  });
  const resigned = signed('evt', Math.floor(later(-600).getTime() / 1_000));
  const cases: [what: string, received: ReceivedWebhook, message: RegExp][] = [
    ['another body', { ...sent, body: body.replace('19.9', '9.9') }, /no signature/],
    ['another secret', { ...sent, secret: newSecret }, /no signature/],
    ['another id', of({ 'webhook-id': 'another' }), /no signature/],
    [
      'another time',
      of({ 'webhook-timestamp': String(Math.floor(Date.now() / 1_000) - 60) }),
      /no signature/,
    ],
    ['no signature', of({ 'webhook-signature': undefined }), /there is no webhook-signature header/],
    ['an empty signature', of({ 'webhook-signature': 'v1,' }), /no signature/],
    ['no base64', of({ 'webhook-signature': 'v1,%%%' }), /no signature/],
    [
      'another scheme',
      of({ 'webhook-signature': `v1a${headers['webhook-signature']?.slice(2)}` }),
      /no signature/,
    ],
    ['an old one', { ...sent, headers: resigned }, /more than 300 seconds off/],
    ['one of tomorrow', { ...sent, now: later(-86_400) }, /more than 300 seconds off/],
    ['no time', of({ 'webhook-timestamp': 'now' }), /more than 300 seconds off/],
  ];
  for (const [what, received, message] of cases) {
    const error = await verifyWebhook(received).catch((reason: unknown) => reason);
    t.ok(error instanceof WebhookVerificationError, what);
    t.match(error, { message }, what);
  }
  await t.rejects(verifyWebhook({ ...sent, secret: '' }), TypeError, 'a missing secret is no verdict');
});

/** Headers whose class is not the platform's, such as those of a polyfill. */
function othersHeaders(given: [name: string, value: string][]): Headers {
  const headers = new Headers(given);
  return { get: (name: string) => headers.get(name) } as Headers;
}

/** Headers with a valid signature for any time. */
function signed(id: string, timestamp: number): Record<string, string> {
  const key = Buffer.from(oldSecret.replace('whsec_', ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,${signature}` };
}

function later(seconds: number): Date {
  return new Date(Date.now() + seconds * 1_000);
}
