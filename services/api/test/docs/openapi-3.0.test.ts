import type { Json } from '@payments/testing/http';
import { startSystem } from '@payments/testing/system';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import t from 'tap';

/** The OpenAPI 3.0 rendering of the stores' document, for tools that don't read 3.1. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const [{ body: later }, { body: earlier, status }] = await Promise.all([
  system.api('/docs/json'),
  system.api('/docs/openapi-3.0.json'),
]);
const recommended = await createConfig({ extends: ['recommended'] });
const methods = ['get', 'post', 'put', 'patch', 'delete'];

t.test('the linter’s recommended rules find nothing', async (t) => {
  t.equal(status, 200);
  t.match(earlier.openapi, /^3\.0\.\d$/);
  const source = JSON.stringify(earlier);
  const problems = await lintFromString({ source, absoluteRef: 'openapi-3.0.json', config: recommended });
  const found = problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer]);
  t.strictSame(found, []);
});

t.test('nothing that only 3.1 has is left', (t) => {
  const left = [...keywords(earlier)].filter(([key, value]) => {
    if (['const', '$schema', 'webhooks', 'exclusiveMinimum', 'exclusiveMaximum'].includes(key))
      return key.startsWith('exclusive') ? typeof value === 'number' : true;
    if (key === 'type') return Array.isArray(value) || value === 'null';
    return key === 'examples' && Array.isArray(value);
  });
  t.strictSame(left, []);
  t.end();
});

t.test('it has every operation, answer and field', (t) => {
  t.strictSame(operationsOf(earlier), operationsOf(later));
  const fields = ({ components: { schemas } }: Json) =>
    Object.entries<Json>(schemas).map(([schema, { properties = {}, required = [] }]) => [
      schema,
      Object.keys(properties),
      required,
    ]);
  t.strictSame(fields(earlier), fields(later));
  t.end();
});

t.test('what may be null says so', async (t) => {
  const { Payment, PaymentStatus } = earlier.components.schemas;
  t.match(Payment.properties.email, { type: 'string', nullable: true });
  t.match(Payment.properties.feeAmount, { type: 'number', nullable: true, example: 0.2 });
  t.equal(Payment.properties.amount.nullable, undefined);
  t.equal(PaymentStatus['x-extensible-enum'].length, 8);
});

t.test('webhooks, which 3.0 has not, are callbacks of the creation', async (t) => {
  const { callbacks } = earlier.paths['/api-public/payments'].post;
  t.strictSame(Object.keys(callbacks), [
    'payment.created',
    'payment.status_changed',
    'payment.updated',
    'refund.updated',
  ]);
  for (const callback of Object.values<Json>(callbacks))
    t.match(callback['{$request.body#/webhookUrl}'].post, { requestBody: { required: true } });
});

/** Every keyword of a document with its value, but not what examples hold. */
function* keywords(node: Json): Generator<[key: string, value: Json]> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries<Json>(node)) {
    if (!Array.isArray(node)) yield [key, value];
    if (!['example', 'value', 'properties'].includes(key)) yield* keywords(value);
    if (key === 'properties') for (const property of Object.values<Json>(value)) yield* keywords(property);
  }
}

function operationsOf({ paths }: Json) {
  return Object.entries<Json>(paths).flatMap(([path, item]) =>
    methods
      .filter((method) => item[method])
      .map((method) => [path, method, item[method].operationId, Object.keys(item[method].responses)]),
  );
}
