import { readFile } from 'node:fs/promises';
import type { Json } from '@payments/testing/http';
import t from 'tap';

/** The three documents, as linters, generators and validators of others need them. */
const read = async (file: string): Promise<Json> =>
  JSON.parse(await readFile(new URL(`../../${file}`, import.meta.url), 'utf8'));
const stores = await read('openapi.json');
const older = await read('openapi-3.0.json');
const admin = await read('openapi-admin.json');
const { version } = await read('package.json');

t.test('`from` and `to` say what they accept', (t) => {
  let seen = 0;
  for (const document of [stores, older, admin])
    for (const [name, { schema }] of parametersOf(document, ['from', 'to'])) {
      if (schema.format === 'date') continue;
      seen += 1;
      t.equal(schema.format, undefined, name);
      for (const value of ['2026-11-23', '2026-11-23T12:00:00.000Z', '2026-11-23T12:00-03:00'])
        t.match(value, new RegExp(schema.pattern), name);
      for (const value of ['', 'yesterday', '23/11/2026', '2026-11-23T12:00:00'])
        t.notMatch(value, new RegExp(schema.pattern), name);
    }
  t.ok(seen >= 8);
  t.end();
});

t.test('a payment’s status may grow, the filter’s may not', (t) => {
  for (const document of [stores, older, admin]) {
    const { PaymentStatus } = document.components.schemas;
    t.equal(PaymentStatus.enum, undefined);
    t.match(PaymentStatus, { type: 'string', description: /may grow/ });
    for (const [name, { schema }] of parametersOf(document, ['status']))
      t.strictSame(schema.enum, PaymentStatus['x-extensible-enum'], name);
  }
  t.end();
});

t.test('every example of an error names its code, and the header lists all of them', (t) => {
  for (const document of [stores, older, admin]) {
    const examples = [...nodesOf([document])].filter(({ value }) => value?.statusCode && value.message);
    t.ok(examples.length > 50);
    for (const { value, 'x-error-code': code } of examples)
      t.match(code, /^[a-z][A-Za-z]+$/, `${value.statusCode} ${value.message}`);
    const codes = new Set(examples.map(({ 'x-error-code': code }) => code));
    const { schema, example } = document.components.headers['Error-Code'];
    t.strictSame(schema, { type: 'string', 'x-extensible-enum': [...codes].sort() });
    t.ok(codes.has(example));
  }
  t.end();
});

t.test('an answer promises no format of what a request gave: clients know narrower ones', (t) => {
  for (const [document, names] of [
    [stores, ['CreatedPayment', 'Payment', 'PaymentCreatedEvent', 'PaymentStatusChangedEvent']],
    [older, ['CreatedPayment', 'Payment']],
    [admin, ['CreatedPayment', 'Payment']],
  ] as const)
    for (const name of names) {
      const { email, webhookUrl, qrCodeUrl } = document.components.schemas[name].properties;
      t.equal(email.format, undefined, `email of ${name}`);
      t.equal(webhookUrl?.format, undefined, `webhookUrl of ${name}`);
      t.equal(qrCodeUrl.format, 'uri', 'the service’s own keeps its format');
    }
  const { previous } = stores.components.schemas.PaymentUpdatedEvent.properties;
  t.equal(previous.properties.email.format, undefined);
  t.end();
});

t.test('null has one spelling, and choices between texts are an enum', (t) => {
  for (const node of nodesOf([stores, admin])) {
    const { anyOf = [] } = node;
    if (anyOf.length === 2 && anyOf[1].type === 'null') t.ok(anyOf[0].$ref, JSON.stringify(node));
    t.notOk(anyOf.length > 0 && anyOf.every((one: Json) => one.enum), JSON.stringify(node));
    if (Array.isArray(node.enum) && Array.isArray(node.type)) t.ok(node.enum.includes(null));
  }
  t.end();
});

t.test('the reconciliation’s two answers exclude each other, and both are shown', (t) => {
  const { Reconciliation, CheckedDays, ReconciliationOrDays } = admin.components.schemas;
  t.equal(ReconciliationOrDays.oneOf.length, 2);
  const names = Object.keys(Reconciliation.properties);
  t.notOk(CheckedDays.required.some((name: string) => names.includes(name)));
  const { examples } = admin.paths['/admin/reconciliation'].get.responses['200'].content['application/json'];
  t.match(examples, {
    day: { value: { differences: [] } },
    days: { value: { items: [{ isFinal: false }] } },
  });
  t.end();
});

t.test('every body of the administration has an example', (t) => {
  for (const [path, item] of Object.entries<Json>(admin.paths))
    for (const { operationId, requestBody, responses } of Object.values<Json>(item)) {
      const bodies = [
        requestBody,
        ...Object.entries<Json>(responses)
          .filter(([s]) => s < '300')
          .map(([, r]) => r),
      ];
      for (const body of bodies) {
        const media = body?.content?.['application/json'];
        if (media) t.ok(media.examples, `${path} ${operationId}`);
      }
    }
  t.end();
});

t.test('the documents name their version, licence, contact and server', (t) => {
  for (const { info, servers } of [stores, older, admin]) {
    t.match(info, { version, license: { name: 'MIT' }, contact: { name: /./ } });
    // Relative: a document is served by the service that it describes.
    t.match(servers, [{ url: '/', description: /./ }]);
  }
  t.end();
});

function parametersOf({ paths }: Json, names: string[]): [string, Json][] {
  return Object.entries<Json>(paths).flatMap(([path, item]) =>
    Object.values<Json>(item).flatMap(({ parameters = [] }) =>
      parameters
        .filter((one: Json) => names.includes(one.name) && !(one.name === 'status' && !one.schema.enum))
        .filter(
          (one: Json) => one.name !== 'status' || path.endsWith('/payments') || path.endsWith('payments.csv'),
        )
        .map((one: Json) => [`${path} ${one.name}`, one]),
    ),
  );
}

function* nodesOf(node: Json): Generator<Json> {
  if (typeof node !== 'object' || node === null) return;
  yield node;
  for (const value of Object.values(node)) yield* nodesOf(value);
}
