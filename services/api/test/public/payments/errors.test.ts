import { gzipSync } from 'node:zlib';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { sendRaw } from '../../http/raw-http.ts';
import { isError } from './expectations.ts';

/** The body of every error of every route is exactly `statusCode` and `message` (Contract: error body). */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const store = await system.createStore();
const { token } = store;
const create = (body: unknown, headers: Record<string, string> = {}) =>
  system.api('/api-public/payments', { token, body, headers });

const noRoute = 'Rota não encontrada.';
const badRequest = 'Requisição inválida.';
const badJson = 'O corpo da requisição não é um JSON válido.';
const badType = 'O tipo de conteúdo deve ser application/json.';

const paths: [name: string, path: string, status: number, message: string][] = [
  ['unknown route', '/nothing', 404, noRoute],
  ['unknown route: the root', '/', 404, noRoute],
  ['unknown route: below the prefix', '/api-public/refunds', 404, noRoute],
  ['unknown route: below a payment', '/api-public/payments/a/b', 404, noRoute],
  ['unknown route: another case', '/API-PUBLIC/PAYMENTS', 404, noRoute],
  ['unknown route: a doubled slash', '//api-public/payments', 404, noRoute],
  ['unknown route: in the docs', '/docs/nothing', 404, noRoute],
  ['not on the public port: metrics', '/metrics', 404, noRoute],
  ['not on the public port: administration', '/admin/stores', 404, noRoute],
  ['the PSP’s callback without its secret', '/pix-callback/guess/pix', 404, noRoute],
  ['bad percent-encoding in a path', '/api-public/payments/%ZZ', 400, badRequest],
  ['bytes in a path that are no UTF-8', '/api-public/payments/%ff', 400, badRequest],
  ['id: not a UUID', '/api-public/payments/7', 404, 'Pagamento não encontrado.'],
  ['id: empty', '/api-public/payments/', 404, 'Pagamento não encontrado.'],
  ['id: a null character', '/api-public/payments/%00', 404, 'Pagamento não encontrado.'],
  ['id: a path', '/api-public/payments/..%2f..%2fetc', 404, 'Pagamento não encontrado.'],
  ['id: SQL', "/api-public/payments/'%20or%20'1'='1", 404, 'Pagamento não encontrado.'],
  [
    'id: thousands of characters',
    `/api-public/payments/${'a'.repeat(9_000)}`,
    404,
    'Pagamento não encontrado.',
  ],
  ['image of no payment', '/qr/0190a5b0-0000-7000-8000-000000000000.png', 404, 'QR Code não encontrado.'],
  ['image: a null character', '/qr/%00.svg', 404, 'QR Code não encontrado.'],
  ['image of another kind', '/qr/0190a5b0-0000-7000-8000-000000000000.gif', 404, noRoute],
];
for (const [name, path, status, message] of paths) {
  t.test(name, async (t) => isError(t, await system.api(path, { token }), status, message));
}

for (const method of ['PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
  t.test(`wrong method: ${method}`, async (t) => {
    isError(t, await system.api('/api-public/payments', { method, token }), 404, noRoute);
  });
}

t.test('HEAD has the status and headers of GET, and no body', async (t) => {
  const answer = await system.api('/api-public/payments', { method: 'HEAD', token });
  t.equal(answer.status, 200);
  t.equal(answer.text, '');
  t.equal((await system.api('/api-public/payments', { method: 'HEAD' })).status, 401);
});

const bodies: [
  name: string,
  body: string,
  headers: Record<string, string>,
  status: number,
  message: string,
][] = [
  ['malformed JSON', '{"amount":', {}, 400, badJson],
  ['malformed JSON: a comma too many', '{"amount":10,}', {}, 400, badJson],
  ['malformed JSON: NaN', '{"amount":NaN}', {}, 400, badJson],
  ['malformed JSON: thousands of brackets', '['.repeat(60_000), {}, 400, badJson],
  ['malformed JSON: two byte order marks', '\ufeff\ufeff{"amount":10}', {}, 400, badJson],
  [
    '413 a body of more than 1 MB',
    `{"amount":10,"x":"${'a'.repeat(1_048_576)}"}`,
    {},
    413,
    'O corpo da requisição é grande demais.',
  ],
  ['415 text/plain', '{"amount":10}', { 'content-type': 'text/plain' }, 415, badType],
  ['415 a form', 'amount=10', { 'content-type': 'application/x-www-form-urlencoded' }, 415, badType],
  ['415 almost JSON', '{"amount":10}', { 'content-type': 'application/jsonx' }, 415, badType],
  ['415 no content type at all', '{"amount":10}', { 'content-type': '' }, 415, badType],
  ['415 not a content type', '{"amount":10}', { 'content-type': ';;;' }, 415, badType],
];
for (const [name, body, headers, status, message] of bodies) {
  t.test(name, async (t) => isError(t, await create(body, headers), status, message));
}

t.test('malformed JSON: bytes that are no UTF-8', async (t) => {
  const answer = await fetch(`${system.url}/api-public/payments`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: Buffer.from('{"amount":10,"observation":"ação"}', 'latin1'),
  });
  t.equal(answer.status, 400);
  t.strictSame(await answer.json(), { statusCode: 400, message: badJson });
});

t.test('a compressed body is named as one; a header that a proxy left is not', async (t) => {
  const post = async (body: Uint8Array<ArrayBuffer> | string, coding: string) =>
    fetch(`${system.url}/api-public/payments`, {
      method: 'POST',
      headers: {
        ...{ authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        'content-encoding': coding,
      },
      body,
    });
  const answer = await post(new Uint8Array(gzipSync('{"amount":10}')), 'gzip');
  t.equal(answer.status, 415);
  t.equal(answer.headers.get('error-code'), 'bodyCompressed');
  const message = 'O corpo da requisição não pode ser comprimido.';
  t.strictSame(await answer.json(), { statusCode: 415, message });
  for (const coding of ['gzip', 'identity'])
    t.equal((await post('{"amount":10}', coding)).status, 200, coding);
});

t.test('a field of many thousand characters is named like any that is too long', async (t) => {
  const observation = { amount: 10, observation: 'ã'.repeat(500_000) };
  isError(t, await create(observation), 400, 'observation must be shorter than or equal to 2048 characters');
});

const tooLong = 'a'.repeat(20_000);
const host = 'Host: x\r\n';
const post = `POST /api-public/payments HTTP/1.1\r\n${host}Authorization: Bearer ${token}\r\nContent-Type: application/json\r\n`;

t.test('an empty body is absent, whatever type its client names', async (t) => {
  const owner = await system.createStore({ tokenMay: ['cancel', 'refund'] });
  const form = { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' } };
  const ofOwner = (path: string, request: object = form) =>
    system.api(`/api-public/payments${path}`, { token: owner.token, ...request });
  const make = async () => (await ofOwner('', { body: { amount: 10 } })).body;
  const [pending, paid] = [await make(), await make()];
  t.equal((await ofOwner(`/${pending.id}/cancel`)).status, 200);
  await system.bank('/bank/pay', { pixCopiaECola: paid.qrCopyPaste });
  await system.waitForStatus(owner, paid.id, 'approved');
  t.match(await ofOwner(`/${paid.id}/refunds`), { status: 200, body: { amount: 10 } });
  t.equal((await system.admin(`/admin/stores/${owner.id}/webhook-secret/rotate`, form)).status, 200);
  const absent = await ofOwner('', { method: 'POST' });
  isError(t, await ofOwner(''), absent.status, absent.body.message);
  const inChunks = 'Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\nx\r\n0\r\n\r\n';
  const { status } = await sendRaw(system.url, `${post.replace('json', 'jsonx')}${inChunks}`);
  t.equal(status, 415, 'a body without a length is not empty');
});

const malformed: [name: string, bytes: string, status: number, message: string][] = [
  ['no HTTP at all', 'hello\r\n\r\n', 400, badRequest],
  ['another version of HTTP', `GET / HTTP/9.9\r\n${host}\r\n`, 400, badRequest],
  ['HTTP/2 without TLS', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, badRequest],
  ['an unknown method', `PAY / HTTP/1.1\r\n${host}\r\n`, 400, badRequest],
  ['no Host header', 'GET /health/live HTTP/1.1\r\nConnection: close\r\n\r\n', 400, badRequest],
  [
    'two Host headers',
    `GET /health/live HTTP/1.1\r\n${host}${host}Connection: close\r\n\r\n`,
    400,
    badRequest,
  ],
  [
    'two Host headers, before HTTP/1.1',
    `GET /health/live HTTP/1.0\r\n${host}HOST: y\r\n\r\n`,
    400,
    badRequest,
  ],
  [
    'a Host that is none',
    `GET /health/live HTTP/1.1\r\nHost: x/y"\r\nConnection: close\r\n\r\n`,
    400,
    badRequest,
  ],
  [
    'an expectation',
    `GET / HTTP/1.1\r\n${host}Expect: gold\r\n\r\n`,
    417,
    'O cabeçalho Expect não é aceito.',
  ],
  ['a null character in a header', `GET / HTTP/1.1\r\n${host}X: a\0b\r\n\r\n`, 400, badRequest],
  ['a header without a colon', `GET / HTTP/1.1\r\n${host}nonsense\r\n\r\n`, 400, badRequest],
  ['a length that is no number', `${post}Content-Length: ten\r\n\r\n`, 400, badRequest],
  [
    'a length and chunks',
    `${post}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
    badRequest,
  ],
  ['a chunk that is none', `${post}Transfer-Encoding: chunked\r\n\r\nZZ\r\n`, 400, badRequest],
  [
    '431 huge headers',
    `GET / HTTP/1.1\r\n${host}X: ${tooLong}\r\n\r\n`,
    431,
    'Os cabeçalhos da requisição são grandes demais.',
  ],
  [
    '431 a huge URL',
    `GET /${tooLong} HTTP/1.1\r\n${host}\r\n`,
    431,
    'Os cabeçalhos da requisição são grandes demais.',
  ],
];
t.test('every form of a host is one', async (t) => {
  for (const one of ['', 'x:80', '127.0.0.1:3000', '[::1]:3000', 'a_b-c.example.', 'XN--CAF-DMA.EXAMPLE'])
    t.equal(
      (await sendRaw(system.url, `GET /health/live HTTP/1.1\r\nHost: ${one}\r\nConnection: close\r\n\r\n`))
        .status,
      200,
      one,
    );
});

for (const [name, bytes, statusCode, message] of malformed) {
  t.test(`malformed HTTP: ${name}`, async (t) => {
    const { status, head, body } = await sendRaw(system.url, bytes);
    t.equal(status, statusCode);
    t.strictSame(JSON.parse(body), { statusCode, message });
    t.match(head, /content-type: application\/json/i);
  });
}

for (const [name, after] of [
  ['a stray byte', '}'],
  ['a garbage line', 'hello\r\n\r\n'],
  ['a request with huge headers', `GET / HTTP/1.1\r\n${host}X: ${tooLong}\r\n\r\n`],
] as const) {
  t.test(
    `${name} after a creation: the creation has its own response, and the error comes behind it`,
    async (t) => {
      const body = JSON.stringify({ amount: 10, observation: name });
      const creation = `${post}Content-Length: ${body.length}\r\n\r\n${body}`;
      const { status, body: rest } = await sendRaw(system.url, creation + creation + after);
      t.equal(status, 200);
      const statuses = [...rest.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, one]) => one);
      t.strictSame(statuses, ['200', after.length > 100 ? '431' : '400']);
      t.match(rest, /"status":"pending"/);
    },
  );
}

t.test(
  'a large body can be sent to its end, and the error be read, on a connection that stays open',
  async (t) => {
    const body = `{"x":"${'a'.repeat(8_000_000)}"}`;
    const head = `${post}Content-Length: ${body.length}\r\n\r\n`;
    const next = `GET /nothing HTTP/1.1\r\n${host}Connection: close\r\n\r\n`;
    const { status, head: answered, body: rest } = await sendRaw(system.url, head + body + next);
    t.equal(status, 413);
    t.notMatch(answered, /connection: close/i);
    t.match(rest, /HTTP\/1\.1 404/, 'the next request is read');
    const chunks = `${post}Transfer-Encoding: chunked\r\n\r\n7a1200\r\n${'a'.repeat(8_000_000)}\r\n0\r\n\r\n`;
    const chunked = await sendRaw(system.url, chunks + next);
    t.equal(chunked.status, 413);
    t.match(chunked.body, /HTTP\/1\.1 404/);
  },
);

t.test('an unknown path or method is a 404, whatever the body is', async (t) => {
  const post = (path: string, body: string, method = 'POST') =>
    system.api(path, { token, method, body, headers: { 'content-type': 'application/json' } });
  isError(t, await post('/nothing', 'abc'), 404, noRoute);
  isError(t, await post('/api-public/payments', 'abc', 'PUT'), 404, noRoute);
  isError(t, await post('/nothing', 'a'.repeat(2_000_000)), 404, noRoute);
});

t.test('a 5xx says nothing about internals', async (t) => {
  t.equal((await create({ amount: 10 })).status, 200);
  await system.db.schema.alterTable('payments').renameTo('payments_away').execute();
  t.teardown(() => system.db.schema.alterTable('payments_away').renameTo('payments').execute());
  const message = 'Erro interno do servidor.';
  isError(t, await create({ amount: 10 }), 500, message);
  isError(t, await system.api('/api-public/payments', { token }), 500, message);
  const id = '0190a5b0-0000-7000-8000-000000000000';
  isError(t, await system.api(`/api-public/payments/${id}`, { token }), 500, message);
  isError(t, await system.api(`/qr/${id}.png`), 500, message);
  isError(t, await system.admin(`/admin/payments/${id}`), 500, message);
});

t.test('the administration’s errors have the same body', async (t) => {
  isError(t, await system.admin('/admin/nothing'), 404, noRoute);
  isError(t, await system.admin('/admin/stores', { method: 'DELETE' }), 404, noRoute);
  isError(t, await system.admin('/admin/stores', { body: '{' }), 400, badJson);
  isError(t, await system.admin('/admin/stores/%ZZ'), 400, badRequest);
  const large = await system.admin('/admin/stores', { body: { name: 'a'.repeat(1_100_000) } });
  isError(t, large, 413, 'O corpo da requisição é grande demais.');
  const typed = { body: '{}', headers: { 'content-type': 'text/plain' } };
  isError(t, await system.admin('/admin/stores', typed), 415, badType);
});

t.test('programs read the error’s name, and how to authenticate, in headers', async (t) => {
  const named = async (answer: Promise<{ headers: Headers }>) => {
    const { headers } = await answer;
    return [headers.get('error-code'), headers.get('www-authenticate')];
  };
  const list = (token?: string) => system.api('/api-public/payments', token === undefined ? {} : { token });
  const wrong = `pp_${'a'.repeat(43)}`;
  t.strictSame(await named(list()), ['tokenMissing', 'Bearer']);
  t.strictSame(await named(list(wrong)), ['tokenInvalid', 'Bearer error="invalid_token"']);
  t.strictSame(await named(create({ amount: 1 })), ['amountTooLow', null]);
  t.strictSame(await named(create({ amount: 'x' })), ['invalidField', null]);
  t.strictSame(await named(create('{')), ['invalidJson', null]);
  t.strictSame(await named(system.api('/nothing')), ['routeNotFound', null]);
  t.strictSame(await named(system.admin('/admin/nothing')), ['routeNotFound', null]);
  t.strictSame(await named(list(token)), [null, null], 'success has none');
});

t.test('a byte order mark before a body changes nothing, also for a key', async (t) => {
  const send = (body: string) => create(body, { 'idempotency-key': 'with and without' });
  const first = await send('{"amount":10}');
  const marked = await send('\uFEFF{"amount":10}');
  t.strictSame([first.status, marked.status, marked.body.id], [200, 200, first.body.id]);
});
