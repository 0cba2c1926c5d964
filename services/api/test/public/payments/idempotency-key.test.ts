import { hash } from 'node:crypto';
import { connect } from '@payments/database/connection';
import { findBinding } from '@payments/database/payments/idempotency-keys';
import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { call } from '@payments/testing/http';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { startApi } from '../../../src/api.ts';
import { readIdempotencyKey } from '../../../src/public/payments/new-payment.ts';
import { apiSettings } from '../../../src/settings.ts';
import { isError } from './expectations.ts';

/** The Idempotency-Key of a creation (Contract: creation). */
let clock = new Date();
const system = await startSystem({ dispatcher: false, now: () => clock });
t.teardown(system.stop);
const store = await system.createStore();
const other = await system.createStore();
const body = { amount: 10, email: 'ana@example.com', observation: 'pedido 7' };
const create = (key: string | undefined, given: unknown = body, { token } = store) =>
  system.api('/api-public/payments', {
    token,
    body: given,
    headers: key === undefined ? {} : { 'idempotency-key': key },
  });
const total = async ({ token } = store) => (await system.api('/api-public/payments', { token })).body.total;

/** @returns the txids of all charges at the bank, read from its API */
async function charges(): Promise<string[]> {
  const credentials = Buffer.from('client:secret').toString('base64');
  const granted = await fetch(`${system.bankUrl}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  const { access_token } = (await granted.json()) as { access_token: string };
  const range = 'inicio=2000-01-01T00:00:00Z&fim=2100-01-01T00:00:00Z&paginacao.itensPorPagina=1000';
  const answer = await fetch(`${system.bankUrl}/cob?${range}`, {
    headers: { authorization: `Bearer ${access_token}` },
  });
  const { cobs } = (await answer.json()) as { cobs: { txid: string }[] };
  return cobs.map(({ txid }) => txid);
}

t.test('same key, same body: the same payment', async (t) => {
  const first = await create('pedido-1');
  const again = await create('pedido-1');
  t.equal(again.status, 200);
  t.strictSame(again.body, first.body);
  t.equal(await total(), 1);
  t.equal((await charges()).length, 1);
});

t.test('the body is compared by what it says, not by its bytes', async (t) => {
  const first = await create('pedido-2', { ...body, webhookUrl: null, extra: 1 });
  const reordered = '{ "observation": "pedido 7", "email": "ana@example.com", "amount": 10.00 }';
  t.equal((await create('pedido-2', reordered)).body.id, first.body.id);
});

t.test('a key that an earlier release kept still fits its body', async (t) => {
  await create('pedido-of-before');
  const db = connect(system.env.DATABASE_URL!);
  t.teardown(() => db.destroy());
  const kept = await findBinding(db, {
    storeId: store.id,
    key: hash('sha256', 'pedido-of-before', 'base64url'),
    now: clock,
  });
  const asked = '{"amount":1000,"email":"ana@example.com","observation":"pedido 7"}';
  t.equal(kept?.requestHash.toString('hex'), hash('sha256', asked), 'absent fields don’t count');
});

t.test('same key, another body: 422, and nothing is created', async (t) => {
  await create('pedido-3');
  const before = await total();
  for (const given of [
    { ...body, amount: 11 },
    { ...body, email: null },
    { ...body, observation: '' },
    { ...body, webhookUrl: 'https://loja.example/' },
  ]) {
    const answer = await create('pedido-3', given);
    isError(t, answer, 422, 'A Idempotency-Key já foi usada com outro corpo.');
  }
  t.equal(await total(), before);
});

t.test(
  'same key, once by an administrator and once by the store: 422, since the first is not public',
  async (t) => {
    const path = `/admin/stores/${store.id}/payments`;
    const headers = { 'idempotency-key': 'pedido-admin' };
    t.match((await system.admin(path, { body, headers })).body, { isPublic: false });
    isError(t, await create('pedido-admin'), 422, 'A Idempotency-Key já foi usada com outro corpo.');
    t.equal((await create('pedido-public')).body.isPublic, true);
    const other = { body, headers: { 'idempotency-key': 'pedido-public' } };
    isError(t, await system.admin(path, other), 422, 'A Idempotency-Key já foi usada com outro corpo.');
  },
);

t.test('same key, another store: another payment', async (t) => {
  const own = await create('pedido-4');
  const theirs = await create('pedido-4', body, other);
  t.equal(theirs.status, 200);
  t.not(theirs.body.id, own.body.id);
  t.equal(theirs.body.storeId, other.id);
  t.equal((await create('pedido-4', { ...body, amount: 99 }, await system.createStore())).status, 200);
});

t.test('no key: a new payment each time', async (t) => {
  const [first, second] = [await create(undefined), await create(undefined)];
  t.not(first.body.id, second.body.id);
});

t.test('a body that is refused binds no key', async (t) => {
  isError(
    t,
    await create('pedido-5', { amount: 1 }),
    400,
    'Valor mínimo permitido para geração de pagamentos é R$ 5,00.',
  );
  t.equal((await create('pedido-5')).status, 200);
});

t.test('a repetition after the store’s maximum was lowered: the same payment', async (t) => {
  const lowered = await system.createStore({ maxAmount: 5000 });
  const large = { amount: 4_000.5, observation: 'grande' };
  const path = `/admin/stores/${lowered.id}/payments`;
  const asAdmin = (given: object) =>
    system.admin(path, { body: given, headers: { 'idempotency-key': 'pedido-large-admin' } });
  const first = await create('pedido-large', large, lowered);
  t.equal(first.status, 200, first.text);
  const ofAdmin = await asAdmin(large);
  t.equal(ofAdmin.status, 200, ofAdmin.text);
  await system.admin(`/admin/stores/${lowered.id}`, { method: 'PATCH', body: { maxAmount: 3000 } });
  const again = await create('pedido-large', large, lowered);
  t.strictSame([again.status, again.body], [200, first.body]);
  t.equal((await asAdmin(large)).body.id, ofAdmin.body.id);
  t.equal(await total(lowered), 2);
  const tooHigh = 'Valor máximo permitido para geração de pagamentos é R$ 3000,00.';
  for (const [key, given] of [
    ['pedido-large', { ...large, observation: 'outra' }],
    ['pedido-large', { ...large, email: 'no e-mail' }],
    ['pedido-large-2', large],
    ['x'.repeat(256), large],
    [undefined, large],
  ] as const)
    isError(t, await create(key, given, lowered), 400, tooHigh);
  isError(
    t,
    await create('pedido-large', { amount: 20 }, lowered),
    422,
    'A Idempotency-Key já foi usada com outro corpo.',
  );
});

t.test('a repetition where webhooks may no longer go to its URL: the same payment', async (t) => {
  const stricter = { WEBHOOK_ALLOW_HTTP: 'false', WEBHOOK_DENY: '2600:1f18::/32', WEBHOOK_ALLOW_PRIVATE: '' };
  const env = { ...system.env, ...stricter, PORT: '0', ADMIN_PORT: '0' };
  const replica = await startApi(readEnvironment(apiSettings, env), createLogger('api', 'silent'), {
    now: () => clock,
  });
  t.teardown(replica.close);
  const createThere = (key: string, given: object) =>
    call(`http://127.0.0.1:${replica.port}/api-public/payments`, {
      token: store.token,
      body: given,
      headers: { 'idempotency-key': key },
    });
  const refused = 'webhookUrl must be a URL';
  for (const webhookUrl of ['http://loja.example/', 'https://[2600:1f18::1]/', 'https://127.0.0.1/']) {
    const given = { ...body, webhookUrl };
    const first = await create(webhookUrl, given);
    t.equal(first.status, 200, first.text);
    const again = await createThere(webhookUrl, given);
    t.strictSame([again.status, again.body], [200, first.body]);
    isError(t, await createThere(webhookUrl, { ...given, amount: 11 }), 400, refused);
    isError(t, await createThere(`${webhookUrl} anew`, given), 400, refused);
  }
});

t.test('a key whose payment was never made holds no larger amount', async (t) => {
  const lowered = await system.createStore({ maxAmount: 5000 });
  await system.db.schema.alterTable('events').renameTo('events_away').execute();
  await create('pedido-lost', { amount: 4_000 }, lowered);
  await system.db.schema.alterTable('events_away').renameTo('events').execute();
  await system.admin(`/admin/stores/${lowered.id}`, { method: 'PATCH', body: { maxAmount: 3000 } });
  t.equal((await create('pedido-lost', { amount: 4_000 }, lowered)).status, 400);
});

t.test('keys: any characters a header can hold, 255 of them at most', async (t) => {
  for (const key of ['a b c', '"quoted"', '../../etc', "' or 1=1 --", 'é'.repeat(5), 'x'.repeat(255)]) {
    const first = await create(key);
    t.equal(first.status, 200, first.text);
    t.equal((await create(key)).body.id, first.body.id);
  }
  for (const empty of ['', '   ', '""', '" "'])
    isError(t, await create(empty), 400, 'Idempotency-Key must be longer than or equal to 1 characters');
  const message = 'Idempotency-Key must be shorter than or equal to 255 characters';
  isError(t, await create('x'.repeat(256)), 400, message);
  isError(
    t,
    await create('x'.repeat(256), { amount: 1 }),
    400,
    'Valor mínimo permitido para geração de pagamentos é R$ 5,00.',
  );
});

t.test('20 at once: one payment, one charge at the bank, one event', async (t) => {
  const [before, charged] = [await total(), (await charges()).length];
  const answers = await Promise.all(Array.from({ length: 20 }, () => create('pedido-20')));
  t.strictSame(new Set(answers.map(({ status }) => status)), new Set([200]));
  const [first, ...rest] = answers.map((answer) => answer.body);
  for (const one of rest) t.strictSame(one, first);
  t.equal(await total(), before + 1);
  t.equal((await charges()).length, charged + 1);
  const detail = await system.admin(`/admin/payments/${first?.id}`);
  t.equal(detail.body.events.length, 1);
});

t.test('20 at once with different bodies: one wins, the rest are 422', async (t) => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, n) => create('pedido-21', { ...body, amount: 10 + n })),
  );
  const count = (status: number) => answers.filter((answer) => answer.status === status).length;
  t.equal(count(200), 1);
  t.equal(count(422), 19);
});

t.test('a repetition shows the payment as it is now', async (t) => {
  const first = await create('pedido-6');
  await system.admin(`/admin/payments/${first.body.id}/status`, { body: { status: 'not_approved' } });
  t.strictSame((await create('pedido-6')).body, { ...first.body, status: 'not_approved' });
});

t.test('a crash in between: the reservation goes on with the same id and txid', async (t) => {
  const before = (await charges()).length;
  const away = system.db.schema.alterTable('events').renameTo('events_away');
  await away.execute();
  const crashed = await create('pedido-7');
  await system.db.schema.alterTable('events_away').renameTo('events').execute();
  isError(t, crashed, 500, 'Erro interno do servidor.');
  const reservation = await system.db
    .selectFrom('idempotencyKeys')
    .select('paymentId')
    .where('key', '=', readIdempotencyKey('pedido-7')!)
    .executeTakeFirstOrThrow();
  const answer = await create('pedido-7');
  t.equal(answer.status, 200);
  t.equal(answer.body.id, reservation.paymentId);
  t.ok((await charges()).includes(answer.body.id.replaceAll('-', '')));
  t.equal((await charges()).length, before + 1, 'one charge at the bank, not two');
});

t.test('with the PSP away, the key holds as well', async (t) => {
  await system.bank('/bank/faults', { status: 503, only: ['putCob'] });
  const first = await create('pedido-8');
  await system.bank('/bank/faults', {});
  t.match(first.body, { qrCopyPaste: null });
  t.equal((await create('pedido-8')).body.id, first.body.id);
});

t.test('kept 24 hours', async (t) => {
  const first = await create('pedido-9');
  const hours = (n: number) => new Date(clock.getTime() + n * 3_600_000);
  clock = hours(23.9);
  t.equal((await create('pedido-9')).body.id, first.body.id, 'a little before');
  clock = hours(0.2);
  const renewed = await create('pedido-9', { ...body, amount: 77 });
  t.equal(renewed.status, 200, 'a little after, another body is another payment');
  t.not(renewed.body.id, first.body.id);
  t.equal((await create('pedido-9', { ...body, amount: 77 })).body.id, renewed.body.id, 'bound anew');
});

t.test('keys are shared with the administration’s creation for the store', async (t) => {
  const headers = { 'idempotency-key': 'pedido-10' };
  const first = await system.admin(`/admin/stores/${store.id}/payments`, { body, headers });
  const again = await system.admin(`/admin/stores/${store.id}/payments`, { body, headers });
  t.equal(again.body.id, first.body.id);
  t.equal(first.body.isPublic, false);
});

t.test('the database has no key in the clear, since it may name a person', async (t) => {
  await create('pedido de ana@cliente.example');
  const rows = await system.db.selectFrom('idempotencyKeys').select('key').execute();
  t.notMatch(rows.map(({ key }) => key).join(), /pedido|ana@/);
});
