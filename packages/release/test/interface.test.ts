import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { breakingChanges, type Document } from '../src/breaking-changes.ts';
import { interfaceDocuments } from '../src/version.ts';

/**
 * The interface keeps its promise (`services/api/docs/compatibility.md`): nothing that a program relies on has changed
 * since the last release, whose documents `npm run release` keeps beside those of today.
 */
const root = join(import.meta.dirname, '../../..');
const read = (path: string): Document => JSON.parse(readFileSync(join(root, path), 'utf8'));
const today = new Date().toISOString().slice(0, 10);

for (const [now, released] of interfaceDocuments)
  t.test(`${now} breaks nothing of the last release`, (t) => {
    t.strictSame(
      breakingChanges(read(released), read(now), today),
      [],
      'see services/api/docs/compatibility.md',
    );
    t.end();
  });

// biome-ignore lint/suspicious/noExplicitAny: a document of others is changed at any place.
type Change = (document: any) => void;
const payments = '/api-public/payments';
const schema =
  (name: string, change: Change) => (document: { components: { schemas: Record<string, object> } }) =>
    change(document.components.schemas[name]);
const parameter = (name: string, change: Change) => (document: Document) =>
  change(document.paths[payments]?.get?.parameters?.find((one) => one.name === name));

/** Each breaks the promise, and is told by its place. */
const breaks: [told: RegExp, change: Change][] = [
  [/^GET \/api-public\/payments is gone$/, ({ paths }) => delete paths[payments].get],
  [/^webhook payment\.created is gone$/, ({ webhooks }) => delete webhooks['payment.created']],
  [
    /GET .*: 200\.items\[\]\.liquidValue is gone/,
    schema('Payment', ({ properties }) => delete properties.liquidValue),
  ],
  [/\.webhookUrl may be absent now/, schema('Payment', (one) => one.required.pop())],
  [
    /200\.amount: type number .*string/,
    schema('Payment', ({ properties }) => (properties.amount.type = 'string')),
  ],
  [
    /\.amount: type number .*null/,
    schema('Payment', ({ properties }) => (properties.amount.type = ['number', 'null'])),
  ],
  [
    /200\.createdAt: format date-time/,
    schema('Payment', ({ properties }) => delete properties.createdAt.format),
  ],
  [/200\.status: rejected is gone/, schema('PaymentStatus', (one) => one['x-extensible-enum'].pop())],
  [
    /webhook payment\.created: body\.amount is gone/,
    schema('PaymentCreatedEvent', (one) => delete one.properties.amount),
  ],
  [
    /webhook .*: body\.event: x is new in a closed list/,
    schema('PaymentCreatedEvent', (one) => one.properties.event.enum.push('x')),
  ],
  [/body\.email is required now/, schema('CreatePayment', (one) => one.required.push('email'))],
  [
    /body\.reference: maxLength is 50/,
    schema('CreatePayment', (one) => (one.properties.reference.maxLength = 50)),
  ],
  [
    /body\.expiresIn: minimum is 60/,
    schema('CreatePayment', (one) => (one.properties.expiresIn.minimum = 60)),
  ],
  [/body\.reference is gone/, schema('CreatePayment', (one) => delete one.properties.reference)],
  [/query parameter status is required now/, parameter('status', (one) => (one.required = true))],
  [/query parameter status: pending is gone/, parameter('status', (one) => one.schema.enum.shift())],
  [/query parameter after is gone/, parameter('after', (one) => (one.name = 'later'))],
  [
    /query parameter x is required now/,
    ({ paths }) =>
      paths[payments].get.parameters.push({ name: 'x', in: 'query', required: true, schema: {} }),
  ],
  [/POST .*: 201 is another success/, ({ paths }) => (paths[payments].post.responses['201'] = {})],
  [/POST .*: 200 is gone/, ({ paths }) => delete paths[payments].post.responses['200']],
  [
    /POST .*: error 400 amountTooLow is gone/,
    ({ paths }) =>
      (paths[payments].post.responses['400'].content['application/json'].examples.amountTooLow[
        'x-error-code'
      ] = 'low'),
  ],
  [/error 401 tokenMissing is gone/, ({ components }) => delete components.responses.Unauthorized.content],
  [
    /200: header RateLimit is gone/,
    ({ paths }) => delete paths[payments].post.responses['200'].headers.RateLimit,
  ],
];

/** None of these is a break. */
const additions: Change[] = [
  () => undefined,
  schema('Payment', (one) => (one.properties.tip = { type: 'number' })),
  schema('CreatePayment', (one) => (one.properties.tip = { type: 'number' })),
  schema('CreatePayment', (one) => (one.properties.reference.maxLength = 500)),
  schema('PaymentStatus', (one) => one['x-extensible-enum'].push('disputed')),
  parameter('status', (one) => one.schema.enum.push('disputed')),
  schema('Payment', (one) => (one.description = 'Other words.')),
  ({ paths }) => paths[payments].get.parameters.push({ name: 'x', in: 'query', schema: {} }),
  ({ paths }) => (paths['/api-public/new'] = { get: { responses: {} } }),
  ({ webhooks }) => (webhooks['payment.disputed'] = { post: { responses: {} } }),
  ({ paths }) =>
    (paths[payments].post.responses['400'].content['application/json'].examples.amountTooLow.value.message =
      'x'),
];

const released = read(interfaceDocuments[0][1]);
const changed = (change: Change) => {
  const copy = structuredClone(released);
  change(copy);
  return breakingChanges(released, copy, today);
};

t.test('a seeded break is refused, and told by its place', (t) => {
  for (const [told, change] of breaks)
    t.ok(
      changed(change).some((line) => told.test(line)),
      String(told),
    );
  t.end();
});

t.test('what the promise lets change is no break', (t) => {
  for (const change of additions) t.strictSame(changed(change), [], String(change));
  t.end();
});

t.test('a deprecated operation may go when its sunset has come, and not before', (t) => {
  const before = structuredClone(released);
  Object.assign(before.paths[payments]?.get ?? {}, { deprecated: true, 'x-sunset': '2027-12-01' });
  const after = structuredClone(released);
  delete after.paths[payments]?.get;
  t.strictSame(breakingChanges(before, after, '2027-11-30'), [`GET ${payments} is gone`]);
  t.strictSame(breakingChanges(before, after, '2027-12-01'), []);
  t.end();
});
