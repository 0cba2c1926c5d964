import type { HttpAnswer } from '@payments/testing/http';
import { startSystem } from '@payments/testing/system';
import fc from 'fast-check';
import t from 'tap';
import { createdFields } from './expectations.ts';

/** Whatever is sent, the answer is a payment or an error of the spec's shape, and never a 5xx. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const store = await system.createStore({ maxAmount: 1_000_000 });
const { token } = store;
const { body: payment } = await system.api('/api-public/payments', { token, body: { amount: 10 } });

const text = fc.string({
  unit: fc.oneof(fc.string({ unit: 'binary', maxLength: 1 }), fc.constant('\ud83c')),
});
const anything = fc.oneof(
  fc.anything({ withNullPrototype: false, withBigInt: false }),
  text,
  fc.double(),
  fc.constantFrom(null, '', 0, -1, 1e308, [], {}, true, '\0', '\ud800', '__proto__', 'a@b.co', 'http://a.co'),
);
const settings = { numRuns: 100, interruptAfterTimeLimit: 5_000, markInterruptAsFailure: false };

function isErrorOrFine(answer: HttpAnswer): boolean {
  if (answer.status < 300) return true;
  const { statusCode, message } = answer.body;
  const shape = Object.keys(answer.body).sort().join() === 'message,statusCode';
  return answer.status < 500 && shape && statusCode === answer.status && typeof message === 'string';
}

const always = <T>(property: fc.IAsyncProperty<T>) => fc.assert(property, settings);

t.test('creation: fields of any kind', async () => {
  const fields = { amount: anything, email: anything, observation: anything, webhookUrl: anything };
  const good = {
    amount: fc.oneof(fc.integer({ min: 5, max: 3_000 }), anything),
    email: fc.oneof(fc.emailAddress(), anything),
    observation: fc.oneof(text, anything),
    webhookUrl: fc.oneof(fc.webUrl(), anything),
  };
  const body = fc.oneof(
    fc.record(fields, { requiredKeys: [] }),
    fc.record(good, { requiredKeys: ['amount'] }),
    anything,
  );
  await always(
    fc.asyncProperty(body, async (given) => {
      const answer = await system.api('/api-public/payments', { token, body: JSON.stringify(given) ?? '' });
      if (!isErrorOrFine(answer)) return false;
      if (answer.status !== 200) return answer.status === 400;
      const read = await system.api(`/api-public/payments/${answer.body.id}`, { token });
      const { webhookUrl: _, ...same } = read.body;
      const isWhole = Object.keys(answer.body).sort().join() === createdFields.join();
      return isWhole && JSON.stringify(same) === JSON.stringify(answer.body);
    }),
  );
});

t.test('creation: any bytes as a body, any content type', async () => {
  const types = fc.oneof(
    fc.constantFrom('application/json', 'application/json; charset=x', ''),
    fc.mixedCase(fc.constant('application/json')),
    fc.string({ maxLength: 30 }).map(asHeader),
  );
  const bodies = fc.oneof(
    text,
    fc.json(),
    fc.json().map((json) => json.slice(0, -1)),
  );
  await always(
    fc.asyncProperty(types, bodies, async (type, body) => {
      const headers = { 'content-type': type };
      return isErrorOrFine(await system.api('/api-public/payments', { token, body, headers }));
    }),
  );
});

t.test('paths and queries', async () => {
  const raw = fc.string().map((given) => encodeURIComponent(given.toWellFormed()));
  const broken = fc.string({
    unit: fc.constantFrom('%', '/', '.', '0', 'f', 'Z', '?', '&', '=', '[', ']', ';'),
  });
  const part = fc.oneof(raw, broken);
  await always(
    fc.asyncProperty(part, part, async (path, query) => {
      const answers = await Promise.all([
        system.api(`/api-public/payments/${path}?${query}`, { token }),
        system.api(`/api-public/payments?page=${path}&${query}`, { token }),
        system.api(`/qr/${path}.png`),
        system.admin(`/admin/deliveries?storeId=${path}&state=${query}`),
        system.admin(`/admin/payments/${path}`),
      ]);
      return answers.every(isErrorOrFine);
    }),
  );
});

t.test('headers', async () => {
  const header = fc.string({ unit: 'binary' }).map(asHeader);
  await always(
    fc.asyncProperty(header, header, async (one, other) => {
      const answers = await Promise.all([
        system.api('/api-public/payments', { headers: { authorization: one } }),
        system.api('/api-public/payments', {
          headers: { authorization: `Bearer ${one}`, 'x-request-id': other },
        }),
        system.api('/api-public/payments', {
          token,
          headers: { 'idempotency-key': one },
          body: { amount: 10 },
        }),
      ]);
      return answers.every(isErrorOrFine);
    }),
  );
});

const adminRoutes: [method: string, path: string, fields: string[]][] = [
  ['POST', '/admin/stores', ['name', 'feePercent', 'feeFixed', 'maxAmount', 'reviewAbove']],
  ['PATCH', `/admin/stores/${store.id}`, ['name', 'feePercent', 'feeFixed', 'reviewAbove']],
  ['POST', '/admin/stores/x/tokens', ['expiresAt']],
  ['POST', `/admin/stores/${store.id}/payments`, ['amount', 'email', 'observation', 'webhookUrl']],
  ['POST', `/admin/payments/${payment.id}/status`, ['status', 'reason']],
  ['POST', '/admin/deliveries/redeliver', ['storeId', 'state', 'since']],
];
for (const [method, path, names] of adminRoutes) {
  t.test(`${method} ${path.replace(/[0-9a-f-]{36}/, '{id}')}`, async () => {
    const fields = fc.record(Object.fromEntries(names.map((name) => [name, anything])), { requiredKeys: [] });
    await always(
      fc.asyncProperty(fc.oneof(fields, anything), async (given) =>
        isErrorOrFine(await system.admin(path, { method, body: JSON.stringify(given) ?? '' })),
      ),
    );
  });
}

/** What may stand in a header at all: anything else no client would send, and Node refuse. */
function asHeader(given: string): string {
  return given.replace(/[^\t\x20-\x7e\x80-\xff]/g, '');
}
