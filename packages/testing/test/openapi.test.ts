import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import type { Json } from '../src/http.ts';
import { openApiDocument } from '../src/openapi/document.ts';
import { answerFailures, type SeenAnswer, webhookFailures } from '../src/openapi/judge.ts';
import { assertDocumented, watchAnswers } from '../src/openapi/watch.ts';

/** Departures from the OpenAPI documents are found. */
const { raw } = openApiDocument('public');
const json = raw as Json;
const path = '/api-public/payments/0199f3a2-6c1e-7d40-8a5b-2f9c4e7d1b36';
const operation = json.paths['/api-public/payments/{id}'].get;
const payment = operation.responses['200'].content['application/json'].examples.pending.value;

const headers = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': '7' };
const fine: SeenAnswer = {
  listener: 'public',
  method: 'GET',
  path: `${path}?x=1`,
  status: 200,
  headers,
  body: JSON.stringify(payment),
};
const bodyOf = (change: object) => ({ body: JSON.stringify({ ...payment, ...change }) });
const error = JSON.stringify({ statusCode: 404, message: 'Rota não encontrada.' });

const notFound = {
  status: 404,
  body: JSON.stringify({ statusCode: 404, message: 'Pagamento não encontrado.' }),
};

const answers: [name: string, change: Partial<SeenAnswer>, failure: RegExp | null][] = [
  ['what is documented', {}, null],
  ['HEAD', { method: 'HEAD', body: '' }, null],
  ['an undocumented status', { status: 201 }, /the status is not documented/],
  ['an undocumented method', { method: 'PUT' }, /the operation is not documented/],
  ['an undocumented path', { path: '/api-public/refunds' }, /the operation is not documented/],
  ['a page', { path: '/docs', headers: { 'content-type': 'text/html' }, body: '<p>' }, null],
  ['a route that is not there', { path: '/x', status: 404, body: error }, null],
  ['an error of another shape', { path: '/x', status: 404, body: '{"error":"x"}' }, /'statusCode'/],
  [
    'an error with more in it',
    { path: '/x', status: 404, body: `${error.slice(0, -1)},"code":7}` },
    /unevaluated/,
  ],
  ['an error that is text', { path: '/x', status: 404, headers: {} }, /not JSON/],
  [
    'another content type',
    { headers: { ...headers, 'content-type': 'text/plain' } },
    /content type text\/plain/,
  ],
  ['a header that is not there', { headers: { ...headers, 'x-request-id': undefined } }, /no X-Request-Id/],
  ['a documented error', { ...notFound, headers: { ...headers, 'error-code': 'paymentNotFound' } }, null],
  [
    'an error of a name without an example',
    { ...notFound, headers: { ...headers, 'error-code': 'refundNotFound' } },
    /no example of the error refundNotFound/,
  ],
  ['a field too many', bodyOf({ cpf: '1' }), /must NOT have unevaluated properties/],
  ['a field too few', bodyOf({ email: undefined }), /required property 'email'/],
  ['a field of another type', bodyOf({ amount: '10' }), /\/amount must be number/],
  ['an unknown status', bodyOf({ status: 'lost' }), /\/status must be equal to one of/],
  [
    'a time without milliseconds',
    bodyOf({ createdAt: '2026-03-02T14:05:09Z' }),
    /\/createdAt must match format/,
  ],
];
for (const [name, change, failure] of answers) {
  t.test(`a response: ${name}`, async (t) => {
    const found = answerFailures({ ...fine, ...change }).join('\n');
    if (failure) t.match(found, failure);
    else t.equal(found, '');
  });
}

const { post } = json.webhooks['payment.status_changed'];
const event = post.requestBody.content['application/json'].examples.approved.value;
const signed: Record<string, string> = { 'content-type': 'application/json' };
for (const { name, example } of post.parameters) signed[name] = example;

const webhooks: [name: string, headers: object, change: object, failure: RegExp | null][] = [
  ['what is documented', {}, {}, null],
  ['no signature', { 'webhook-signature': undefined }, {}, /webhook-signature must be string/],
  ['a time in milliseconds', { 'webhook-timestamp': '1.5' }, {}, /webhook-timestamp must match pattern/],
  ['an unknown event', {}, { event: 'payment.lost' }, /payment.lost is not documented/],
  ['a webhookUrl, which webhooks omit', {}, { webhookUrl: 'https://loja.example' }, /unevaluated/],
  ['no status before', {}, { previousStatus: undefined }, /required property 'previousStatus'/],
];
for (const [name, given, change, failure] of webhooks) {
  t.test(`a webhook: ${name}`, async (t) => {
    const found = webhookFailures({ ...signed, ...given }, JSON.stringify({ ...event, ...change })).join(
      '\n',
    );
    if (failure) t.match(found, failure);
    else t.equal(found, '');
  });
}

t.test('every response of a watched port is judged, and none of another port', async (t) => {
  const server = createServer((_request, response) => {
    response.writeHead(418, { 'content-type': 'application/json' });
    response.write('{"short":');
    response.end('"stout"}');
  });
  t.teardown(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const told: string[] = [];
  await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  watchAnswers(port, 'public', (failure) => told.push(failure));
  await (await fetch(`http://127.0.0.1:${port}${path}`)).text();
  t.strictSame(told, [`GET ${path} answered 418: the status is not documented`]);
  t.throws(() => assertDocumented(told), /not as documented/);
  t.doesNotThrow(() => assertDocumented([]));
});
