import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError, isoDateTime } from '../payments/expectations.ts';

/** Refunds by a store's token (Contract: refunds by a token). */
const system = await startSystem({ env: { SCAN_INTERVAL_SECONDS: '1', REFUND_RETRY_SECONDS: '6000' } });
t.teardown(system.stop);
const { admin, db } = system;
const tokenMay = ['refund', 'cancel'];
const store = await system.createStore({ name: 'Padaria', feePercent: 1, tokenMay });
const [plain, neighbour] = [
  await system.createStore({ tokenMay: ['cancel'] }),
  await system.createStore({ tokenMay }),
];
type Request = { body?: unknown; headers?: Record<string, string>; token?: string };
const order = (id: string, body: unknown = {}, request: Request = {}) =>
  system.api(`/api-public/payments/${id}/refunds`, { token: store.token, method: 'POST', body, ...request });
const list = (id: string, token = store.token) => system.api(`/api-public/payments/${id}/refunds`, { token });
const read = async (id: string, token = store.token) =>
  (await system.api(`/api-public/payments/${id}`, { token })).body;
const detail = async (id: string) => (await admin(`/admin/payments/${id}`)).body;
const faults = (named: Record<string, unknown> = {}) => system.bank('/bank/faults', named);
const nobody = '0190a5b0-0000-7000-8000-000000000000';

async function approved(amount = 100, owner = store) {
  const body = await system.sell(owner, { amount });
  return { id: body.id as string, endToEndId: body.endToEndId as string };
}

/** Waits until the payment's newest refund has the status. */
const newest = (id: string, status: string) =>
  eventually(`a refund that is ${status}`, async () => {
    const [first] = (await list(id)).body.items;
    return first?.status === status ? first : undefined;
  });

t.test('a part, then all that is left: the answers, the list, and what reads show', async (t) => {
  const { id, endToEndId } = await approved();
  t.strictSame((await list(id)).body, { items: [] });
  const first = await order(id, { amount: 30.25, reason: 'produto com defeito' });
  t.equal(first.status, 200);
  t.strictSame(first.body, {
    id: first.body.id,
    paymentId: id,
    endToEndId,
    amount: 30.25,
    status: 'requested',
    reason: 'requested',
    createdAt: first.body.createdAt,
    updatedAt: first.body.createdAt,
  });
  t.match(first.body.createdAt, isoDateTime);
  const made = await newest(id, 'refunded');
  t.strictSame({ ...made, status: 'requested', updatedAt: made.createdAt }, first.body);
  t.match(await read(id), { status: 'approved', amount: 69.75 });
  const rest = await order(id, { amount: null, reason: null });
  t.match(rest, { status: 200, body: { amount: 69.75, status: 'requested' } });
  await system.waitForStatus(store, id, 'not_approved');
  const { items } = (await list(id)).body;
  t.strictSame(
    items.map((one: { id: string; status: string }) => [one.id, one.status]),
    [
      [rest.body.id, 'refunded'],
      [first.body.id, 'refunded'],
    ],
    'newest first',
  );
});

t.test('no body at all is all that is left', async (t) => {
  const { id } = await approved(12.34);
  const answer = await system.api(`/api-public/payments/${id}/refunds`, {
    token: store.token,
    method: 'POST',
  });
  t.match(answer, { status: 200, body: { amount: 12.34 } });
});

t.test('the record: author and id of the token, the reason, and never the token', async (t) => {
  const { id } = await approved();
  const reason = 'pedido de maria@exemplo.com.br';
  const headers = { 'x-request-id': 'devolucao-7', 'user-agent': 'loja/1.0' };
  const { body } = await order(id, { amount: 1, reason }, { headers });
  const [token] = (await admin(`/admin/stores/${store.id}/tokens`)).body.items;
  const { changes, refunds } = await detail(id);
  t.match(changes, [
    {
      action: 'refund.ordered',
      storeId: store.id,
      author: 'token da loja Padaria',
      authorId: token.id,
      via: 'api',
      reason: 'pedido de [e-mail]',
      requestId: 'devolucao-7',
      address: '127.0.0.1',
      browser: 'loja/1.0',
      to: { refundId: body.id, amount: 1 },
    },
  ]);
  t.match(refunds, [{ id: body.id, reason: 'pedido de [e-mail]' }], 'the administration reads it, too');
  const wordless = await order(id, { amount: 1 });
  const found = (await detail(id)).refunds.find((one) => one.id === wordless.body.id);
  t.equal(found?.reason, 'store', 'without words it reads who ordered it');
  t.equal(body.reason, 'requested', 'the store’s own kind is not the words');
  t.notOk(JSON.stringify(await db.selectFrom('changes').selectAll().execute()).includes(store.token));
});

t.test('ours and the bank’s: the kinds of refunds', async (t) => {
  const { id, endToEndId } = await approved();
  const { qrCopyPaste } = await read(id);
  await system.bank('/bank/pay', { pixCopiaECola: qrCopyPaste, valor: '7.00' });
  await system.bank('/bank/refunds', { endToEndId, valor: '20.00' });
  await admin(`/admin/payments/${id}/refunds`, { body: { amount: 5, reason: 'acordo' } });
  const all = await eventually('three refunds', async () => {
    const { items } = (await list(id)).body;
    return items.length === 3 && items.every((one) => one.status === 'refunded') ? items : undefined;
  });
  const kinds = Object.fromEntries(all.map((one) => [one.reason, one.amount]));
  t.strictSame(kinds, { second_pix: 7, returned_by_bank: 20, requested: 5 });
  for (const one of all) t.strictSame(Object.keys(one), Object.keys(all[0]!));
  t.equal((await list(id, neighbour.token)).status, 404);
});

t.test('the list needs no permission; the order does, before input and existence', async (t) => {
  const { id } = await approved(10, plain);
  const mayNot = 'Operação não habilitada para a loja.';
  for (const [path, body] of [
    [id, {}],
    [id, { amount: 'x' }],
    [id, '{"amount":'],
    [nobody, { amount: -1 }],
    ['x', {}],
  ] as const) {
    const answer = await order(path, body, { token: plain.token });
    isError(t, answer, 403, mayNot);
    t.equal(answer.headers.get('error-code'), 'operationNotEnabled');
  }
  isError(t, await order(id, {}, { token: 'pp_no' }), 401, 'Token inválido ou expirado.');
  t.strictSame((await list(id, plain.token)).body, { items: [] });
  await admin(`/admin/stores/${plain.id}`, { method: 'PATCH', body: { tokenMay: ['refund'] } });
  t.equal(
    (await order(id, { amount: 1 }, { token: plain.token })).status,
    200,
    'at once, once it is allowed',
  );
  await admin(`/admin/stores/${plain.id}`, { method: 'PATCH', body: { tokenMay: [] } });
  isError(t, await order(id, { amount: 1 }, { token: plain.token }), 403, mayNot);
});

t.test('wrong input is a 400, before existence; nothing is ordered', async (t) => {
  const { id } = await approved();
  const number = 'amount must be a number conforming to the specified constraints';
  const wrong: [body: unknown, message: string][] = [
    ['[]', 'body must be an object'],
    ['7', 'body must be an object'],
    ['"x"', 'body must be an object'],
    [{ amount: '10' }, number],
    [{ amount: true }, number],
    [{ amount: 1.001 }, number],
    ['{"amount":1e400}', number],
    [{ amount: 0 }, 'amount must not be less than 0.01'],
    [{ amount: -5 }, 'amount must not be less than 0.01'],
    [{ reason: 7 }, 'reason must be a string'],
    [{ reason: 'x'.repeat(2_001) }, 'reason must be shorter than or equal to 2000 characters'],
    [{ reason: '😀'.repeat(2_001) }, 'reason must be shorter than or equal to 2000 characters'],
    [{ reason: 'a\0' }, 'reason must not contain null characters'],
    [{ amount: 'x', reason: 7 }, number],
  ];
  for (const [body, message] of wrong)
    for (const place of [id, nobody, 'x']) isError(t, await order(place, body), 400, message);
  const key = (value: string) => ({ headers: { 'idempotency-key': value } });
  for (const place of [id, nobody]) {
    const long = 'Idempotency-Key must be shorter than or equal to 255 characters';
    isError(t, await order(place, {}, key('x'.repeat(256))), 400, long);
  }
  for (const place of [nobody, 'x', '%00']) isError(t, await order(place), 404, 'Pagamento não encontrado.');
  isError(t, await order(id, {}, { token: neighbour.token }), 404, 'Pagamento não encontrado.');
  for (const place of [nobody, 'x']) isError(t, await list(place), 404, 'Pagamento não encontrado.');
  t.strictSame((await list(id)).body.items, []);
  t.match(await order(id, '\uFEFF{"amount":1}'), { status: 200 }, 'a byte order mark is skipped');
  t.match(await order(id, { amount: 1, reason: '😀'.repeat(2_000) }), { status: 200 }, 'an emoji is one');
  t.match(await order(id, { amount: 1, other: true }), { status: 200 }, 'other fields are ignored');
});

const notRefundable = 'Pagamento não pode ser devolvido.';
const tooHigh = 'Valor maior que o disponível para devolução.';
const tooLate = 'Prazo de 90 dias para devolução encerrado.';
const limitReached = 'Limite diário de devoluções atingido.';

t.test('the 409s, in their order: state, 90 days, what is left, the day’s limit', async (t) => {
  const named = async (answer: ReturnType<typeof order>, message: string, code: string) => {
    const { headers, ...rest } = await answer;
    isError(t, { headers, ...rest }, 409, message);
    t.equal(headers.get('error-code'), code);
  };
  const { id, endToEndId } = await approved();
  const setLimit = (refundLimitPerDay: number | null) =>
    admin(`/admin/stores/${store.id}`, { method: 'PATCH', body: { refundLimitPerDay } });
  await setLimit(0);
  const paidAt = (days: number) =>
    db
      .updateTable('pixReceived')
      .set({ paidAt: new Date(Date.now() - days * 86_400_000) })
      .where('endToEndId', '=', endToEndId)
      .execute();
  const setStatus = (status: 'review' | 'approved') =>
    db.updateTable('payments').set({ status }).where('id', '=', id).execute();
  await paidAt(91);
  await setStatus('review');
  for (const amount of [1, 1_000]) await named(order(id, { amount }), notRefundable, 'notRefundable');
  await setStatus('approved');
  for (const amount of [1, 1_000]) await named(order(id, { amount }), tooLate, 'refundTooLate');
  await paidAt(90);
  await named(order(id, { amount: 100.01 }), tooHigh, 'refundTooHigh');
  await named(order(id, { amount: 0.01 }), limitReached, 'refundLimitReached');
  await named(order(id), limitReached, 'refundLimitReached');
  t.strictSame((await detail(id)).changes, [], 'nothing is on record');
  t.strictSame((await list(id)).body.items, [], 'and nothing was ordered');
  await setLimit(null);
  await faults({ slowRefundsMs: 600_000 });
  t.equal((await order(id)).status, 200);
  await named(order(id), tooHigh, 'refundTooHigh');
  await named(order(id, { amount: 0.01 }), tooHigh, 'refundTooHigh');
  await faults();

  const pending = await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } });
  await named(order(pending.body.id), notRefundable, 'notRefundable');
  const asked = await admin(`/admin/payments/${pending.body.id}/refunds`, { body: {} });
  isError(t, asked, 409, 'Um pagamento com status pending não pode ser devolvido.');
  t.equal(asked.headers.get('error-code'), 'notRefundable', 'the same name on the other port');
});

t.test('what the bank refused, and waits to be ordered anew, is not ordered twice', async (t) => {
  const { id } = await approved(50);
  await faults({ refuseRefunds: true });
  await order(id, { amount: 30 });
  t.match(await newest(id, 'failed'), { amount: 30, reason: 'requested' });
  await faults();
  isError(t, await order(id, { amount: 21 }), 409, tooHigh);
  t.equal((await order(id, { amount: 20 })).status, 200);
  isError(t, await order(id), 409, tooHigh);
});

t.test('Idempotency-Key: one refund for each payment and key, whoever repeats it', async (t) => {
  const [{ id }, other] = [await approved(), await approved()];
  const keyed = (place: string, body: unknown, key = 'k1') =>
    order(place, body, { headers: { 'idempotency-key': key } });
  const first = await keyed(id, { amount: 10, reason: 'um' });
  await newest(id, 'refunded');
  const again = await keyed(id, '\uFEFF{"reason":"um","amount":10}');
  t.match(again.body, { id: first.body.id, status: 'refunded' }, 'the same refund, as it is now');
  for (const body of [{ amount: 11, reason: 'um' }, { amount: 10 }, {}])
    isError(t, await keyed(id, body), 422, 'A Idempotency-Key já foi usada com outro corpo.');
  t.equal((await list(id)).body.items.length, 1);
  const elsewhere = await keyed(other.id, { amount: 10, reason: 'um' });
  t.not(elsewhere.body.id, first.body.id, 'another payment’s refund is another operation');
  t.equal((await keyed(id, { amount: 10, reason: 'um' }, 'k2')).status, 200);
  const together = await Promise.all(Array.from({ length: 10 }, () => keyed(other.id, { amount: 5 }, 'k3')));
  t.strictSame(new Set(together.map(({ status }) => status)), new Set([200]));
  t.equal(new Set(together.map(({ body }) => body.id)).size, 1);
  t.equal((await list(other.id)).body.items.length, 2);

  const created = await system.api('/api-public/payments', {
    token: store.token,
    body: { amount: 10 },
    headers: { 'idempotency-key': 'k1' },
  });
  t.equal(created.status, 200, 'a creation’s key is another one');
  const byAdministrator = await admin(`/admin/payments/${id}/refunds`, {
    body: { amount: 10, reason: 'um' },
    headers: { 'idempotency-key': 'k1' },
  });
  t.not(byAdministrator.body.id, first.body.id, 'and so is an administrator’s');
});
