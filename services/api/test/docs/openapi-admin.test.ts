import { readFile } from 'node:fs/promises';
import { eventTypes } from '@payments/domain/events';
import type { Json } from '@payments/testing/http';
import { startSystem } from '@payments/testing/system';
import t from 'tap';

/** The admin document describes, names and gives errors for everything. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { admin } = system;
const { body: store } = await admin('/admin/stores', { body: { name: 'Loja' } });
const person = { name: 'x', email: 'x@loja.example', role: 'viewer' };
const account = (await admin('/admin/accounts', { body: person })).body;
const nobody = '0190a5b0-0000-7000-8000-000000000000';
const text = await readFile(new URL('../../openapi-admin.json', import.meta.url), 'utf8');
const document: Json = JSON.parse(text);
const operations: { name: string; operation: Json }[] = Object.entries<object>(document.paths).flatMap(
  ([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
);
const resolved = (answer: Json) =>
  answer.$ref ? document.components.responses[answer.$ref.split('/').at(-1)] : answer;

t.test('every operation, parameter, answer and field says what it is', async (t) => {
  const silent: string[] = [];
  const says = (what: string, said: unknown) => {
    if (typeof said !== 'string' || said.length < 8 || said === 'Default Response') silent.push(what);
  };
  for (const { name, operation } of operations) {
    says(name, operation.description);
    t.ok(operation.operationId && operation.summary && operation.tags?.length && operation.security, name);
    for (const parameter of operation.parameters ?? [])
      says(`${name} ${parameter.name}`, parameter.description);
    for (const [status, answer] of Object.entries(operation.responses))
      says(`${name} ${status}`, resolved(answer).description);
  }
  for (const [name, schema] of Object.entries<Json>(document.components.schemas)) {
    says(name, schema.description);
    const parts = [schema, ...(schema.allOf ?? [])].flatMap((part) =>
      Object.entries<{ $ref?: string; description?: string }>(part.properties ?? {}),
    );
    for (const [field, property] of parts) if (!property.$ref) says(`${name}.${field}`, property.description);
  }
  const tags = new Set(operations.flatMap(({ operation }) => operation.tags));
  t.strictSame(
    new Set(document.tags.map(({ name }: { name: string }) => name)),
    tags,
    'every tag is described',
  );
  t.strictSame(silent, []);
});

t.test('a delivery’s event is described by every type, and a statement’s wrong end as no day', async (t) => {
  const { schemas } = document.components;
  for (const name of ['Delivery', 'DeliveryDetail'])
    for (const type of eventTypes) t.match(schemas[name].properties.event.description, `\`${type}\``, name);
  for (const operationId of ['getStatement', 'exportStatement']) {
    const { responses } = operations.find(
      ({ operation }) => operation.operationId === operationId,
    )!.operation;
    const { fromInvalid, toInvalid } = responses[400].content['application/json'].examples;
    t.same([fromInvalid.summary, toInvalid.summary], ['`from` is no day.', '`to` is no day.'], operationId);
  }
});

t.test('bodies are named components, and every error has examples of its message', async (t) => {
  for (const { name, operation } of operations) {
    const bodies = [operation.requestBody, ...Object.values(operation.responses).map(resolved)];
    for (const media of bodies.flatMap((body) => Object.values(body?.content ?? {})))
      t.match(media, { schema: { $ref: /^#\/components\/schemas\/[A-Z]\w+$/ } }, name);
    for (const [status, answer] of Object.entries(operation.responses)) {
      if (status < '400') continue;
      const examples = Object.values(resolved(answer).content['application/json'].examples);
      t.ok(examples.length > 0, `${name} ${status}`);
      for (const example of examples)
        t.match(example, { value: { statusCode: Number(status), message: /./ } });
    }
  }
});

t.test('an optional body may be left out, and only that', async (t) => {
  const optional = operations.filter(({ operation }) => operation.requestBody?.required === false);
  t.ok(optional.length >= 8);
  for (const { name } of optional)
    t.match(name, /tokens|rotate|redeliver|release|resume|retry|withdraw|refunds?|invitation$/);
});

/** Provokes each documented 400 and compares its message exactly. */
const wrong: Record<string, unknown> = {
  nameNotAString: { name: 7 },
  nameTooShort: { name: '' },
  nameBlank: { name: ' ', role: 'owner' },
  nameTooLong: { name: 'x'.repeat(201), role: 'owner' },
  roleNotAString: { name: 'x', role: 7 },
  roleUnknown: { name: 'x', role: 'x' },
  storeIdMissing: { name: 'x', role: 'store_admin' },
  storeIdGiven: { name: 'x', role: 'owner', storeId: nobody },
  nameNullCharacter: { name: '\0', role: 'owner' },
  ...Object.fromEntries(
    ['feePercent', 'feeFixed', 'maxAmount', 'reviewAbove'].flatMap((field) => [
      [`${field}NotANumber`, { name: 'x', [field]: 'x' }],
      [`${field}TooLow`, { name: 'x', [field]: -1 }],
      [`${field}TooHigh`, { name: 'x', [field]: 1_000_001 }],
      [`${field}TooFine`, { name: 'x', [field]: field === 'maxAmount' ? 5_000.123 : 50.123456 }],
    ]),
  ),
  activeNotABoolean: { active: 1 },
  banksNotAnArray: { name: 'x', banks: 'default' },
  ...Object.fromEntries(
    ['banks', 'events', 'tokenMay', 'notices'].map((field) => [
      `${field}EntryNotAString`,
      { name: 'x', [field]: [7] },
    ]),
  ),
  banksEmpty: { name: 'x', banks: [] },
  storeBankUnknown: { name: 'x', banks: ['nobody'] },
  bankTwice: { name: 'x', banks: ['default', 'default'] },
  testNotABoolean: { name: 'x', test: 'yes' },
  testFixed: { test: true },
  banksOfTest: { name: 'x', test: true, banks: ['default'] },
  noTestBank: { name: 'x', test: true },
  eventsNotAnArray: { name: 'x', events: 'refund.updated' },
  eventUnknown: { name: 'x', events: ['payment.created'] },
  eventTwice: { name: 'x', events: ['refund.updated', 'refund.updated'] },
  tokenMayNotAnArray: { name: 'x', tokenMay: 'refund' },
  deedUnknown: { name: 'x', tokenMay: ['approve'] },
  deedTwice: { name: 'x', tokenMay: ['refund', 'refund'] },
  refundLimitPerDayNotANumber: { name: 'x', refundLimitPerDay: 'x' },
  refundLimitPerDayTooLow: { name: 'x', refundLimitPerDay: -1 },
  refundLimitPerDayTooHigh: { name: 'x', refundLimitPerDay: 1e10 },
  refundLimitTooFine: { name: 'x', refundLimitPerDay: 50.123 },
  reasonMissing: {},
  reasonTooShort: { reason: '' },
  reasonBlank: { reason: ' ' },
  emailNotAString: { name: 'x', email: 7 },
  emailInvalid: { name: 'x', email: 'x' },
  noticesNotAnArray: { notices: 'refund_owed' },
  noticeUnknown: { notices: ['invitation'] },
  noticeTwice: { notices: ['refund_owed', 'refund_owed'] },
  bodyNotAnObject: '[]',
  reasonNotAString: { name: 'x', role: 'owner', status: 'paid', reason: 7 },
  reasonTooLong: { name: 'x', role: 'owner', status: 'paid', reason: 'x'.repeat(2_001) },
  reasonNullCharacter: { name: 'x', role: 'owner', status: 'paid', reason: '\0' },
  expiresAtNotAString: { name: 'x', role: 'owner', expiresAt: 7 },
  expiresAtInvalid: { name: 'x', role: 'owner', expiresAt: 'x' },
  expiresAtPast: { name: 'x', role: 'owner', expiresAt: '2020-01-01T00:00:00Z' },
  storeIdInvalid: { name: 'x', role: 'store_admin', storeId: 'x' },
  storeIdNotAString: { name: 'x', role: 'store_admin', storeId: 7 },
  stateUnknown: { state: 'x' },
  sinceInvalid: { since: 'x' },
  sinceNotAString: { since: 7 },
  statusUnknown: { status: 'x' },
  invalidJson: '{',
  amountNotANumber: { amount: 'x' },
  amountTooLow: { amount: 0 },
};
const wrongHeaders: Record<string, Record<string, string>> = {
  idempotencyKeyEmpty: { 'idempotency-key': '' },
  idempotencyKeyTooLong: { 'idempotency-key': 'x'.repeat(256) },
};
const queries: Record<string, string> = {
  pageNotAnInteger: 'page=x',
  pageTooLow: 'page=0',
  limitNotAnInteger: 'limit=x',
  limitTooLow: 'limit=0',
  limitTooHigh: 'limit=201',
  storeIdInvalid: 'storeId=x',
  testFilterInvalid: 'date=2026-01-01&test=x',
  noTestBank: 'date=2026-01-01&test=true',
  paymentIdInvalid: 'paymentId=x',
  stateUnknown: 'state=x',
  kindUnknown: 'kind=x',
  statusUnknown: 'status=x',
  firstDayInvalid: 'from=x&to=2026-01-01',
  lastDayInvalid: 'from=2026-01-01&to=x',
  fromInvalid: 'from=x',
  toInvalid: 'from=2026-01-01&to=x',
  dateToCome: 'date=9998-01-01',
  byUnknown: 'by=x',
  csvFormUnknown: 'for=x&from=2026-01-01&to=2026-01-02',
  bankUnknown: 'date=2026-01-01&bank=x',
  bankUnknownToStore: 'bank=x',
  toBeforeFrom: 'from=2026-01-02&to=2026-01-01',
  qNotAString: 'q=a&q=b',
  qEmpty: 'q=',
  qTooLong: `q=${'x'.repeat(321)}`,
  qNullCharacter: 'q=%00',
  reasonNotAString: 'reason=a&reason=b',
  reasonTooLong: `reason=${'x'.repeat(2_001)}`,
  reasonNullCharacter: 'reason=%00',
};
const ofStore = { name: 'Loja', role: 'store_admin', storeId: store.id };
const keyOfStore: string = (await admin('/admin/keys', { body: ofStore })).body.key;
const unknownStore = { name: 'x', role: 'store_admin', storeId: nobody };
const idOf = (name: string) => {
  if (name.includes('/admin/stores/')) return store.id;
  return name.includes('/admin/accounts/') ? account.id : nobody;
};
/** Completes the body of a new account, whose e-mail is read before what is wrong. */
const completed = (name: string, body: unknown) =>
  name === 'POST /admin/accounts' && typeof body === 'object'
    ? { email: 'y@loja.example', role: 'owner', ...body }
    : body;
for (const { name, operation } of operations.filter(({ name }) => name.includes('/admin/'))) {
  t.test(`the errors of ${name}`, async (t) => {
    const [method = '', pattern = ''] = name.split(' ');
    const path = pattern.replace('{id}', idOf(name)).replaceAll(/\{\w+\}/g, nobody);
    const { examples } = resolved(operation.responses['400']).content['application/json'];
    for (const [condition, { value, 'x-error-code': code }] of Object.entries<Json>(examples)) {
      // The test of the public API provokes the errors of creations.
      if (condition === 'malformedRequest' || (name.endsWith('/payments') && method === 'POST')) continue;
      const hasBody = operation.requestBody !== undefined;
      const body = completed(name, wrong[condition]);
      const headers = wrongHeaders[condition];
      const sound = { name: 'x', status: 'paid', reason: 'x' };
      const request = hasBody
        ? { method, headers: headers ?? {}, body: headers ? sound : body }
        : { method, headers: headers ?? {}, ...(condition === 'invalidJson' ? { body: '{' } : {}) };
      const query = hasBody ? '' : `?${queries[condition] ?? ''}`;
      const token = condition.endsWith('ToStore') ? { token: keyOfStore } : {};
      const answer = await admin(path + query, { ...request, ...token });
      t.strictSame(answer.body, value, condition);
      t.equal(answer.headers.get('error-code'), code, condition);
    }
    if (operation.responses['404']) {
      const missing = pattern.replaceAll(/\{\w+\}/g, nobody);
      const answer = await admin(missing, {
        method,
        ...(operation.requestBody
          ? { body: completed(name, { ...unknownStore, status: 'paid', amount: 10, reason: 'x' }) as object }
          : {}),
      });
      const told = Object.values<{ value: unknown }>(
        resolved(operation.responses['404']).content['application/json'].examples,
      );
      const answers = [answer.body];
      // An account that exists may be given a store that does not.
      if (name === 'PATCH /admin/accounts/{id}')
        answers.push((await admin(path, { method, body: unknownStore })).body);
      t.strictSame(
        answers,
        told.map(({ value }) => value),
      );
    }
  });
}
