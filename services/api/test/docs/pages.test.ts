import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { createdFields, readFields, statuses } from '../public/payments/expectations.ts';

/** The OpenAPI documents of both listeners. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const open = { token: '' };
const [{ body: stores }, { body: admin }] = await Promise.all([
  system.api('/docs/json'),
  system.admin('/docs/json', open),
]);

t.test('browsable at /docs, as JSON and as YAML, without a token', async (t) => {
  for (const ask of [(path: string) => system.api(path), (path: string) => system.admin(path, open)]) {
    const page = await ask('/docs');
    t.equal(page.status, 200);
    t.match(page.headers.get('content-type'), /^text\/html/);
    const links = page.text.match(/(?<=(?:src|href)=")[^"]+/g) ?? [];
    const paths = new Set(links.map((link) => new URL(link, 'http://x/docs').pathname));
    for (const path of paths) t.equal((await ask(path)).status, 200, path);
    t.match((await ask('/docs/json')).body, { openapi: /^3\.1/ });
    const yaml = await ask('/docs/yaml');
    t.equal(yaml.status, 200);
    t.match(yaml.text, /^openapi: 3\.1/);
  }
});

t.test('the documents are made for their first reader alone, and zipped for all', async (t) => {
  const paths = ['json', 'yaml', 'openapi-3.0.json', 'postman.json', 'requests.http'];
  for (const path of paths.map((name) => `/docs/${name}`)) {
    const { status, headers } = await system.api(path, { headers: { 'accept-encoding': 'gzip' } });
    t.equal(status, 200, path);
    t.equal(headers.get('content-encoding'), 'gzip', path);
    const etag = headers.get('etag') ?? '';
    const again = await system.api(path, { headers: { 'if-none-match': etag } });
    t.equal(again.status, 304, `${path}: whoever has it gets it no second time`);
  }
});

t.test('components have names, and the payment its fields', async (t) => {
  const { schemas } = stores.components;
  t.strictSame(Object.keys(schemas).sort(), [
    'CreatePayment',
    'CreatedPayment',
    'Error',
    'EventList',
    'Liveness',
    'Payment',
    'PaymentCreatedEvent',
    'PaymentList',
    'PaymentStatus',
    'PaymentStatusChangedEvent',
    'PaymentUpdatedEvent',
    'PixOfPayment',
    'Readiness',
    'Refund',
    'RefundList',
    'RefundRequest',
    'RefundUpdatedEvent',
    'TestDeed',
    'TestDeedRequest',
  ]);
  const optional = ['reference', 'expiresIn', 'description'];
  t.strictSame(Object.keys(schemas.CreatedPayment.properties).sort(), [...createdFields, ...optional].sort());
  const included = ['refundedAmount', 'pix'];
  const shown = [...readFields, ...optional, ...included].sort();
  t.strictSame(Object.keys(schemas.Payment.properties).sort(), shown);
  t.strictSame(schemas.Payment.required.toSorted(), readFields);
  const announced = [...createdFields, 'event'].sort();
  t.strictSame(Object.keys(schemas.PaymentCreatedEvent.properties).sort(), announced);
  t.strictSame(schemas.PaymentStatus['x-extensible-enum'], statuses);
  t.equal(schemas.PaymentStatus.enum, undefined, 'the list may grow');
  t.strictSame(Object.keys(schemas.CreatePayment.properties), [
    'amount',
    'email',
    'observation',
    'webhookUrl',
    ...optional,
  ]);
  t.strictSame(schemas.CreatePayment.required, ['amount']);
  t.strictSame(schemas.Error.required, ['statusCode', 'message']);
  t.notMatch(JSON.stringify([stores, admin]), /"def-\d|"\$id"/);
});

t.test('the public document lists the public interface', async (t) => {
  t.strictSame(Object.keys(stores.paths).sort(), [
    '/api-public/events',
    '/api-public/payments',
    '/api-public/payments/{id}',
    '/api-public/payments/{id}/cancel',
    '/api-public/payments/{id}/refunds',
    '/api-public/payments/{id}/test',
    '/health/live',
    '/health/ready',
    '/qr/{id}.png',
    '/qr/{id}.svg',
  ]);
  t.match(stores.servers, [{ url: system.env.PUBLIC_URL }]);
  const { get, post } = stores.paths['/api-public/payments'];
  t.strictSame(post.security, [{ bearer: [] }]);
  for (const status of ['200', '400', '401', '403', '413', '415', '422', '429', '500', '503'])
    t.ok(post.responses[status], `creation tells of ${status}`);
  t.strictSame(
    get.parameters.map(({ name }: { name: string }) => name),
    ['page', 'limit', 'status', 'after', 'reference', 'from', 'to', 'include', 'X-Request-Id'],
  );
  t.notMatch(JSON.stringify(stores), /pix-callback|\/admin/, 'nothing of the callback or the administration');
});

t.test('the admin document lists the administration', async (t) => {
  const paths = Object.keys(admin.paths);
  for (const path of [
    '/admin/stores',
    '/admin/stores/{id}',
    '/admin/stores/{id}/tokens',
    '/admin/stores/{id}/tokens/{tokenId}',
    '/admin/stores/{id}/webhook-secret',
    '/admin/stores/{id}/webhook-secret/rotate',
    '/admin/stores/{id}/payments',
    '/admin/payments/{id}',
    '/admin/payments/{id}/status',
    '/admin/deliveries',
    '/admin/deliveries/{id}',
    '/admin/deliveries/{id}/redeliver',
    '/admin/deliveries/redeliver',
  ])
    t.ok(paths.includes(path), path);
});

t.test(
  'every reference leads somewhere, and every operation has a name, a summary and its errors',
  async (t) => {
    for (const document of [stores, admin]) {
      const text = JSON.stringify(document);
      for (const [, name] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
        t.ok(document.components.schemas[name ?? ''], String(name));
      const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object));
      const names = operations.map(({ operationId }) => operationId);
      t.equal(new Set(names).size, names.length);
      for (const { operationId, summary, responses } of operations) {
        t.ok(operationId && summary, operationId);
        t.ok(operationId === 'live' || Object.keys(responses).some((status) => status >= '400'), operationId);
      }
    }
  },
);
