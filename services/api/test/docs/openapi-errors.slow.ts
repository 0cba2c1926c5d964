import { gzipSync } from 'node:zlib';
import { connect } from '@payments/database/connection';
import { prepareTemplate } from '@payments/testing/database';
import { call, type HttpCall } from '@payments/testing/http';
import { openApiDocument } from '@payments/testing/openapi/document';
import { startOwnPostgres } from '@payments/testing/postgres-server';
import { startBanks } from '@payments/testing/several-banks';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import type { Example, Operation, Response } from '../../src/docs/document.ts';
import { sendRaw } from '../http/raw-http.ts';

/** Every documented error occurs on its operations under its condition, with its exact message. */
const postgres = await startOwnPostgres();
t.teardown(() => postgres.remove());
const url = new URL(postgres.url);
url.pathname = `/${await prepareTemplate(postgres.url)}`;
const banks = await startBanks([{ id: 'test' }]);
const system = await startSystem({
  dispatcher: false,
  env: {
    DATABASE_URL: url.href,
    RATE_LIMIT_PER_MINUTE: '150',
    QR_IMAGES_PER_MINUTE: '20',
    TEST_BANK_FILE: banks.write(),
  },
});
t.teardown(async () => {
  await system.stop();
  await banks.close();
});

const owner = await system.createStore({ tokenMay: ['refund', 'cancel'] });
const { token } = owner;
const plain = await system.createStore();
const { token: busy } = await system.createStore();
const closed = await system.createStore();
await system.admin(`/admin/stores/${closed.id}`, { method: 'PATCH', body: { active: false } });
const second = await system.createStore();
await system.admin(`/admin/stores/${second.id}/tokens`, { body: {} });
const { body: payment } = await system.api('/api-public/payments', { token, body: { amount: 10 } });
const tester = await system.createStore({ test: true });
const { body: testPayment } = await system.api('/api-public/payments', {
  token: tester.token,
  body: { amount: 10 },
});
const nowhere = '0190a5b0-0000-7000-8000-000000000000';

type Target = { method: string; path: string };
type Answer = { status: number; body: unknown; headers?: Headers };
type Provoke = (target: Target) => Promise<Answer>;

const ask = ({ method, path }: Target, request: HttpCall) => {
  if (isTestDeed(path)) return askOfTest(path, request);
  const body = method === 'POST' ? { body: { amount: 10 } } : {};
  return call(system.url + path.replace('{id}', payment.id), { method, ...body, ...request });
};
const isTestDeed = (path: string) => path.endsWith('/test');
/** In the place of the store with every permission, a test store asks. */
const askOfTest = (path: string, { body = {}, ...request }: HttpCall) =>
  call(system.url + path.replace('{id}', testPayment.id), {
    method: 'POST',
    ...request,
    ...(request.token === token && { token: tester.token }),
    body: typeof body === 'object' && !(body instanceof Uint8Array) ? { do: 'pay', ...body } : body,
  });
const raw = async ({ method, path }: Target, head: string) => {
  const { status, body } = await sendRaw(system.url, `${method} ${path} HTTP/1.1\r\n${head}\r\n\r\n`);
  return { status, body: JSON.parse(body) };
};
const withToken =
  (own: string): Provoke =>
  (target) =>
    ask(target, { token: own });
const withBody =
  (body: unknown, headers: Record<string, string> = {}): Provoke =>
  (target) =>
    ask(target, { token, body, headers });
const withQuery =
  (query: string): Provoke =>
  ({ method, path }) =>
    ask({ method, path: `${path}?${query}` }, { token });
const withField = (field: Record<string, unknown>) => withBody({ amount: 10, ...field });
/** In the body of a creation, or in the query of a list, which can repeat it. */
const withReference =
  (reference: unknown): Provoke =>
  (target) => {
    if (target.method === 'POST') return withField({ reference })(target);
    const query =
      typeof reference === 'string'
        ? `reference=${encodeURIComponent(reference)}`
        : 'reference=a&reference=b';
    return withQuery(query)(target);
  };
/** The same on a payment that is approved. */
async function ofApproved({ method, path }: Target): Promise<Target> {
  const body = await system.sell(owner, { amount: 10 });
  return { method, path: path.replace('{id}', body.id) };
}
const limit = (refundLimitPerDay: number | null) =>
  system.admin(`/admin/stores/${owner.id}`, { method: 'PATCH', body: { refundLimitPerDay } });
const missing: Provoke = ({ method, path }) =>
  ask({ method, path: path.replace('{id}', nowhere) }, { token });

const provoked: Record<string, Provoke> = {
  malformedRequest: (target) => raw(target, 'Connection: close'),
  expectationFailed: (target) => raw(target, 'Host: x\r\nExpect: gold'),
  headersTooLarge: (target) => raw(target, `Host: x\r\nX: ${'a'.repeat(20_000)}`),
  tokenMissing: (target) => ask(target, {}),
  tokenInvalid: withToken('pp_unknown'),
  tokenSuperseded: withToken(second.token),
  storeInactive: withToken(closed.token),
  invalidJson: withBody('{"amount":'),
  bodyCompressed: withBody(new Uint8Array(gzipSync('{"amount":10}')), { 'content-encoding': 'gzip' }),
  bodyTooLarge: withBody(`"${'a'.repeat(1_100_000)}"`),
  unsupportedMediaType: withBody('amount=10', { 'content-type': 'application/x-www-form-urlencoded' }),
  amountNotANumber: withBody({ amount: '10' }),
  amountTooLow: withBody({ amount: 4.99 }),
  amountTooHigh: withBody({ amount: 3000.01 }),
  emailInvalid: withField({ email: 'nobody' }),
  observationNotAString: withField({ observation: 7 }),
  observationTooLong: withField({ observation: 'a'.repeat(2_049) }),
  observationNullCharacter: withField({ observation: '\0' }),
  webhookUrlInvalid: withField({ webhookUrl: 'ftp://example.com' }),
  referenceNotAString: withReference(7),
  referenceEmpty: withReference(''),
  referenceTooLong: withReference('a'.repeat(101)),
  referenceNullCharacter: withReference('\0'),
  expiresInNotAnInteger: withField({ expiresIn: 1.5 }),
  expiresInTooLow: withField({ expiresIn: 0 }),
  expiresInTooHigh: withField({ expiresIn: 2_592_001 }),
  descriptionNotAString: withField({ description: 7 }),
  descriptionEmpty: withField({ description: '' }),
  descriptionTooLong: withField({ description: 'a'.repeat(141) }),
  descriptionNullCharacter: withField({ description: '\0' }),
  referenceTaken: async (target) => {
    await withField({ reference: 'pedido-1042' })(target);
    return withField({ reference: 'pedido-1042' })(target);
  },
  idempotencyKeyEmpty: withBody({ amount: 10 }, { 'idempotency-key': '' }),
  idempotencyKeyTooLong: withBody({ amount: 10 }, { 'idempotency-key': 'a'.repeat(256) }),
  idempotencyKeyReused: async (target) => {
    const headers = { 'idempotency-key': 'pedido-1042' };
    const place = target.path.includes('{id}') ? await ofApproved(target) : target;
    await withBody({ amount: 5 }, headers)(place);
    return withBody({ amount: 6 }, headers)(place);
  },
  bodyNotAnObject: withBody('[]'),
  refundAmountTooLow: withBody({ amount: 0 }),
  reasonNotAString: withBody({ reason: 7 }),
  reasonTooLong: withBody({ reason: 'a'.repeat(2_001) }),
  reasonNullCharacter: withBody({ reason: '\0' }),
  operationNotEnabled: withToken(plain.token),
  notRefundable: withBody({ amount: 1 }),
  refundTooLate: async (target) => {
    const paid = await ofApproved(target);
    const paidAt = new Date(Date.now() - 91 * 86_400_000);
    const db = connect(url.href, { poolSize: 1 });
    await db.updateTable('pixReceived').set({ paidAt }).execute();
    await db.destroy();
    return withBody({ amount: 1 })(paid);
  },
  refundTooHigh: async (target) => withBody({ amount: 1_000 })(await ofApproved(target)),
  refundLimitReached: async (target) => {
    const paid = await ofApproved(target);
    await limit(0);
    const answer = await withBody({ amount: 1 })(paid);
    await limit(null);
    return answer;
  },
  notCancellable: async (target) => withBody({})(await ofApproved(target)),
  deedOfTestUnknown: withBody({ do: 'lose' }),
  deedAmountTooLow: withBody({ amount: 0 }),
  deedAmountTooHigh: withBody({ amount: 1e9 }),
  notOfTestStore: withToken(plain.token),
  testDeedRefused: withBody({ do: 'take_back' }),
  paymentNotFound: missing,
  qrCodeNotFound: missing,
  pageNotAnInteger: withQuery('page=a'),
  pageTooLow: withQuery('page=0'),
  limitNotAnInteger: withQuery('limit=1.5'),
  limitTooLow: withQuery('limit=0'),
  limitTooHigh: withQuery('limit=201'),
  statusUnknown: withQuery('status=lost'),
  afterNotAnId: withQuery('after=x'),
  cursorInvalid: withQuery('after=x'),
  typeUnknown: withQuery('type=x'),
  fromInvalid: withQuery('from=x'),
  toInvalid: withQuery('to=x'),
  includeUnknown: withQuery('include=x'),
};

/** Errors that need a missing table, no database, or patience. */
const later = ['internal', 'unavailable', 'tooManyRequests', 'tooManyImages'];
// Node reports this one after 30 seconds.
const notProvoked = ['requestTimeout'];

const told = [...documentedErrors()];
const those = (names: string[]) => told.filter(({ name }) => names.includes(name));

type Told = {
  target: Target;
  operationId: string;
  status: number;
  name: string;
  value: unknown;
  code: string;
};

function* documentedErrors(): Generator<Told> {
  const { raw: document, resolve } = openApiDocument('public');
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(item ?? {}) as [string, Operation][]) {
      for (const [status, answer] of Object.entries(operation.responses ?? {})) {
        const [{ content = {} }] = resolve<Response>(answer, '');
        const examples = status < '400' ? {} : (content['application/json']?.examples ?? {});
        for (const [name, one] of Object.entries(examples) as [string, Example][]) {
          const { value, 'x-error-code': code = '' } = one;
          const target = { method: method.toUpperCase(), path };
          yield {
            target,
            operationId: operation.operationId ?? '',
            status: Number(status),
            name,
            value,
            code,
          };
        }
      }
    }
  }
}

t.test('every condition is provoked here', async (t) => {
  const names = new Set(told.map(({ name }) => name));
  t.strictSame([...names].sort(), [...Object.keys(provoked), ...later, ...notProvoked].sort());
});

for (const { target, operationId, status, name, value, code } of those(Object.keys(provoked))) {
  t.test(`${operationId}: ${name}`, async (t) => {
    const answer = await provoked[name]?.(target);
    t.equal(answer?.status, status);
    t.strictSame(answer?.body, value);
    if (answer?.headers) t.equal(answer.headers.get('error-code'), code);
  });
}

t.test('tooManyRequests', async (t) => {
  while ((await system.api('/api-public/payments', { token: busy })).status === 200);
  for (const { target, operationId, status, value } of those(['tooManyRequests'])) {
    const answer = await ask(target, { token: busy });
    t.equal(answer.status, status, operationId);
    t.strictSame(answer.body, value);
  }
});

t.test('internal: tables are missing', async (t) => {
  const db = connect(url.href, { poolSize: 1 });
  for (const table of ['payments', 'events'])
    await db.schema.alterTable(table).renameTo(`${table}_away`).execute();
  await db.destroy();
  for (const { target, operationId, status, value } of those(['internal'])) {
    if (target.path.startsWith('/health')) continue;
    const answer = await ask(target, { token });
    t.equal(answer.status, status, operationId);
    t.strictSame(answer.body, value);
  }
});

t.test('unavailable: the database is away', async (t) => {
  await postgres.stop();
  for (const { target, operationId, status, value } of those(['unavailable'])) {
    const answer = await ask(target, { token });
    t.equal(answer.status, status, operationId);
    t.strictSame(answer.body, value);
  }
});

t.test('tooManyImages', async (t) => {
  for (const { target, operationId, status, value } of those(['tooManyImages'])) {
    let answer = await missing(target);
    for (let n = 0; n < 20 && answer.status !== 429; n += 1) answer = await missing(target);
    t.equal(answer.status, status, operationId);
    t.strictSame(answer.body, value);
  }
});
