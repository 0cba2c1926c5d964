import { Webhook } from 'standardwebhooks';
import t from 'tap';
import { newWebhookSecret, signatureHeaders, signingKey } from '../src/signature.ts';

const body = '{"event":"payment.status_changed","observation":"café ☕","previousStatus":"pending"}';
const id = '01977d3c-2f4e-7a44-9c1b-0d5f6a7b8c9d';

const signed = (secrets: string[], timestamp = new Date()) =>
  signatureHeaders({ id, timestamp, body, keys: secrets.map(signingKey) });

t.test('a receiver with the public library accepts what we sign', async (t) => {
  const secret = newWebhookSecret();
  t.same(new Webhook(secret).verify(body, signed([secret])), JSON.parse(body));
  t.same(new Webhook(secret).verify(Buffer.from(body), signed([secret])), JSON.parse(body));
});

t.test('the signature equals the public library’s, to the byte', async (t) => {
  const secret = newWebhookSecret();
  const timestamp = new Date(1_763_700_000_999);
  t.same(signed([secret], timestamp), {
    'webhook-id': id,
    'webhook-timestamp': '1763700000',
    'webhook-signature': new Webhook(secret).sign(id, timestamp, body),
  });
});

t.test('during a rotation, receivers with the old and with the new secret accept', async (t) => {
  const [newer, older, never] = [newWebhookSecret(), newWebhookSecret(), newWebhookSecret()];
  const headers = signed([newer, older]);
  t.match(headers['webhook-signature'], /^v1,[A-Za-z0-9+/]{43}= v1,[A-Za-z0-9+/]{43}=$/);
  t.same(new Webhook(newer).verify(body, headers), JSON.parse(body));
  t.same(new Webhook(older).verify(body, headers), JSON.parse(body));
  t.throws(() => new Webhook(never).verify(body, headers), { message: 'No matching signature found' });
});

t.test('a receiver refuses another body, id, or time', async (t) => {
  const secret = newWebhookSecret();
  const receiver = new Webhook(secret);
  const headers = signed([secret]);
  t.throws(() => receiver.verify(`${body} `, headers));
  t.throws(() => receiver.verify(body, { ...headers, 'webhook-id': 'another' }));
  const later = String(Number(headers['webhook-timestamp']) + 1);
  t.throws(() => receiver.verify(body, { ...headers, 'webhook-timestamp': later }));
  const old = signed([secret], new Date(Date.now() - 6 * 60_000));
  t.throws(() => receiver.verify(body, old), { message: 'Message timestamp too old' });
});

t.test('new secrets are whsec_ and 32 random bytes', async (t) => {
  const secrets = Array.from({ length: 100 }, newWebhookSecret);
  t.equal(new Set(secrets).size, 100);
  for (const secret of secrets) {
    t.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    t.equal(Buffer.from(secret.slice(6), 'base64').length, 32);
  }
});

t.test('a secret of 24 to 64 bytes signs, as Standard Webhooks asks', async (t) => {
  for (const length of [24, 64]) {
    const secret = `whsec_${Buffer.alloc(length, 7).toString('base64')}`;
    t.same(new Webhook(secret).verify(body, signed([secret])), JSON.parse(body), `${length} bytes`);
  }
});

t.test('a malformed message is refused without repeating the secret', async (t) => {
  const good = newWebhookSecret();
  const malformed = [
    '',
    'whsec_',
    good.slice('whsec_'.length),
    `whsec_${Buffer.alloc(23, 7).toString('base64')}`,
    `whsec_${Buffer.alloc(65, 7).toString('base64')}`,
    `${good} `,
    `whsec_${'-_'.repeat(20)}`,
  ];
  for (const secret of malformed) {
    const refused = {
      name: 'TypeError',
      message: 'a webhook secret is whsec_ followed by the base64 of 24 to 64 bytes',
    };
    t.throws(() => signed([good, secret]), refused, JSON.stringify(secret));
  }
  t.throws(() => signed([]), { name: 'TypeError' });
  for (const bad of ['', 'a.b']) {
    t.throws(
      () => signatureHeaders({ id: bad, timestamp: new Date(), body, keys: [signingKey(good)] }),
      TypeError,
    );
  }
});
