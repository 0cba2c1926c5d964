import type { HttpAnswer, Json } from '@payments/testing/http';
import { startReceiver } from '@payments/testing/receiver';
import { startBanks } from '@payments/testing/several-banks';
import { eventually, startSystem } from '@payments/testing/system';
import { startTcpProxy } from '@payments/testing/tcp-proxy';
import t, { type Test } from 'tap';
import { readPng, readSvg } from '../qr/qr-reader.ts';

/** A test store's deeds at the simulated bank (Contract: test stores). */
const banks = await startBanks([{ id: 'test' }]);
const link = await startTcpProxy(Number(new URL(banks.at('test').url).port));
const receiver = await startReceiver();
const system = await startSystem({
  env: {
    TEST_BANK_FILE: banks.write({ test: `http://127.0.0.1:${link.port}` }),
    WEBHOOK_ALLOW_PRIVATE: '127.0.0.0/8',
  },
});
t.teardown(async () => {
  await system.stop();
  await Promise.all([banks.close(), receiver.close(), link.close()]);
});
const store = await system.createStore({ test: true, name: 'Loja de testes' });
const real = await system.createStore();

const create = async (amount = 10, { token } = store) =>
  (await system.api('/api-public/payments', { token, body: { amount, webhookUrl: receiver.url } })).body;
const order = (id: string, body?: unknown, token: string | null = store.token) =>
  system.api(`/api-public/payments/${id}/test`, {
    method: 'POST',
    ...(token !== null && { token }),
    ...(body !== undefined && { body }),
  });
const read = async (id: string) =>
  (await system.api(`/api-public/payments/${id}?include=pix`, { token: store.token })).body;
const refundsOf = async (id: string) =>
  (await system.api(`/api-public/payments/${id}/refunds`, { token: store.token })).body.items;
const isError = (t: Test, { status, body }: HttpAnswer, expected: number, message: string) =>
  t.match({ status, body }, { status: expected, body: { statusCode: expected, message } });
const until = (what: string, holds: () => Promise<Json>) => eventually(what, holds);

t.test('pay: the payment is approved, and told by webhook', async (t) => {
  const { id } = await create();
  t.match(await order(id, { do: 'pay' }), { status: 202, body: { paymentId: id, do: 'pay' } });
  await system.waitForStatus(store, id, 'approved');
  await receiver.waitFor(({ body }) => body.includes(id) && body.includes('"status":"approved"'));
});

t.test('pay, and pay another amount: in review', async (t) => {
  const [one, other] = [await create(), await create()];
  t.equal((await order(one.id, { do: 'pay', amount: 9.5 })).status, 202);
  t.equal((await order(other.id, { do: 'pay_other_amount' })).status, 202);
  await system.waitForStatus(store, one.id, 'review');
  await system.waitForStatus(store, other.id, 'review');
  t.match((await read(one.id)).pix, [{ amount: 9.5 }]);
  t.match((await read(other.id)).pix, [{ amount: 11 }]);
});

t.test('pay late: the time to pay ends, and the Pix goes to review as a late one', async (t) => {
  for (const expiresIn of [60, 119, 120, 121, 86_400]) {
    const body = { amount: 10, expiresIn };
    const { id } = (await system.api('/api-public/payments', { token: store.token, body })).body;
    t.equal((await order(id, { do: 'pay_late' })).status, 202);
    await system.waitForStatus(store, id, 'review');
    const { body: shown } = await system.admin(`/admin/payments/${id}`);
    t.match(shown.events.at(-1), { status: 'review', reason: 'late' }, `${expiresIn} s`);
  }
});

t.test('pay twice: the second Pix goes back', async (t) => {
  const { id } = await create();
  t.equal((await order(id, { do: 'pay_twice' })).status, 202);
  await system.waitForStatus(store, id, 'approved');
  const [refund] = await until('the refund', async () => {
    const refunds = await refundsOf(id);
    return refunds[0]?.status === 'refunded' ? refunds : undefined;
  });
  t.match(refund, { reason: 'second_pix', amount: 10 });
  t.equal((await read(id)).pix.length, 2);
});

t.test('take back: a part, then the rest, then nothing is left', async (t) => {
  const { id } = await create();
  isError(
    t,
    await order(id, { do: 'take_back' }),
    409,
    'O banco de testes não pode fazer isto com este pagamento.',
  );
  t.equal((await order(id, { do: 'pay' })).status, 202);
  await system.waitForStatus(store, id, 'approved');
  t.equal((await order(id, { do: 'take_back', amount: 4 })).status, 202);
  await until('less', async () => ((await read(id)).amount === 6 ? true : undefined));
  const tooMuch = await order(id, { do: 'take_back', amount: 7 });
  isError(t, tooMuch, 409, 'O banco de testes não pode fazer isto com este pagamento.');
  t.equal(tooMuch.headers.get('error-code'), 'testDeedRefused');
  t.equal((await order(id, { do: 'take_back' })).status, 202);
  await system.waitForStatus(store, id, 'not_approved');
  t.match(await refundsOf(id), [{ reason: 'returned_by_bank' }, { reason: 'returned_by_bank' }]);
  t.equal((await order(id, { do: 'take_back' })).status, 409);
});

const press = (id: string, deed: string) =>
  fetch(`${system.url}/pay/${id}/test`, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: `do=${deed}`,
  });

t.test('a payment takes 20 Pix, however they are asked for, and no more', async (t) => {
  const { id } = await create();
  const paid = async () => {
    const charge = await fetch(`${banks.at('test').url}/bank/charges/${id.replaceAll('-', '')}`);
    return ((await charge.json()) as { pix: unknown[] }).pix.length;
  };
  t.equal((await order(id, { do: 'pay' })).status, 202);
  const each = Array.from({ length: 6 }, () => [order(id, { do: 'pay_twice' }), press(id, 'pay_twice')]);
  await Promise.all(each.flat());
  t.equal(await paid(), 19, 'together they asked for 25, two at a time');
  t.equal((await order(id, { do: 'pay' })).status, 202);
  const refused = await order(id, { do: 'pay_late' });
  isError(t, refused, 409, 'O banco de testes não pode fazer isto com este pagamento.');
  t.equal((await press(id, 'pay')).status, 409);
  t.equal(await paid(), 20);
  t.equal((await order(id, { do: 'take_back' })).status, 202, 'what came may go back');
});

t.test('a deed that waits for its bank keeps no list waiting', async (t) => {
  const { id } = await create();
  link.silence(true);
  const deed = order(id, { do: 'pay' });
  const list = system.api('/api-public/payments', { token: store.token });
  t.equal(await Promise.race([deed.then(() => 'deed'), list.then(() => 'list')]), 'list');
  link.silence(false);
  await deed;
});

t.test('wrong requests', async (t) => {
  const { id } = await create();
  const deeds = 'pay, pay_other_amount, pay_late, pay_twice, take_back';
  const unknown = `do must be one of the following values: ${deeds}`;
  for (const [body, message] of [
    [undefined, unknown],
    [{}, unknown],
    [{ do: 'steal' }, unknown],
    [{ do: null }, unknown],
    [[], 'body must be an object'],
    [{ do: 'pay', amount: 'x' }, 'amount must be a number conforming to the specified constraints'],
    [{ do: 'pay', amount: 1.005 }, 'amount must be a number conforming to the specified constraints'],
    [{ do: 'pay', amount: 0 }, 'amount must not be less than 0.01'],
    [{ do: 'take_back', amount: -1 }, 'amount must not be less than 0.01'],
    [{ do: 'pay', amount: 1e9 }, /^amount must not be greater than /],
  ] as const)
    t.match(await order(id, body), { status: 400, body: { statusCode: 400, message } }, JSON.stringify(body));
  isError(t, await order(id, { do: 'pay' }, null), 401, 'Bearer token ausente.');
  isError(t, await order(id, { do: 'pay' }, 'pp_test_no'), 401, 'Token inválido ou expirado.');
  const other = await system.createStore({ test: true });
  isError(t, await order(id, { do: 'pay' }, other.token), 404, 'Pagamento não encontrado.');
  isError(t, await order('nothing', { do: 'pay' }), 404, 'Pagamento não encontrado.');
  t.equal((await read(id)).status, 'pending');
});

t.test('for every other store the path does not exist', async (t) => {
  const payment = await create(10, real);
  const unknown = await system.api('/api-public/payments/x/nothing', { token: real.token, body: {} });
  for (const body of [{ do: 'pay' }, { do: 'steal' }, undefined]) {
    const answer = await order(payment.id, body, real.token);
    t.same([answer.status, answer.body], [404, unknown.body]);
  }
  isError(t, await order(payment.id, { do: 'pay' }), 404, 'Pagamento não encontrado.');
});

t.test('its page and its images say TESTE, and no other’s', async (t) => {
  const [tested, usual] = [await create(), await create(10, real)];
  const page = (await system.api(`/pay/${tested.id}`)).text;
  t.match(page, '<p class="test">TESTE</p>');
  t.match(page, /<title>TESTE · /);
  const other = (await system.api(`/pay/${usual.id}`)).text;
  t.notMatch(other, /TESTE|<form|<button name="do"/);
  for (const { id, qrCopyPaste } of [tested, usual]) {
    t.equal(
      readPng(Buffer.from(await (await fetch(`${system.url}/qr/${id}.png`)).arrayBuffer())),
      qrCopyPaste,
    );
    t.equal(readSvg(await (await fetch(`${system.url}/qr/${id}.svg`)).text()), qrCopyPaste);
  }
  const sizeOf = async (id: string) =>
    Number(/viewBox="0 0 (\d+) /.exec(await (await fetch(`${system.url}/qr/${id}.svg`)).text())?.[1]);
  t.ok((await sizeOf(tested.id)) > (await sizeOf(usual.id)), 'there is more than the code');
  for (const { id } of [tested, usual])
    await system.admin(`/admin/payments/${id}/status`, { body: { status: 'not_approved' } });
  const closed = async (id: string, kind: string) => {
    const image = await fetch(`${system.url}/qr/${id}.${kind}`);
    return Buffer.from(await image.arrayBuffer());
  };
  t.match(String(await closed(tested.id, 'svg')), /Código.*encerrado.*TESTE/);
  t.notMatch(String(await closed(usual.id, 'svg')), /TESTE/);
  t.notSame(await closed(tested.id, 'png'), await closed(usual.id, 'png'));
});

t.test('the buttons of its page do the same', async (t) => {
  const { id } = await create();
  const page = await system.api(`/pay/${id}`);
  t.match(page.headers.get('content-security-policy'), "form-action 'self'");
  for (const deed of ['pay', 'pay_other_amount', 'pay_late', 'pay_twice', 'take_back'])
    t.match(page.text, `<button name="do" value="${deed}">`);
  const nothing = await press(id, 'take_back');
  t.equal(nothing.status, 409);
  t.match(await nothing.text(), 'O banco de testes não pôde fazer isso');
  const done = await press(id, 'pay');
  t.same([done.status, done.headers.get('location')], [303, `/pay/${id}`]);
  await system.waitForStatus(store, id, 'approved');
  t.equal((await press(id, 'steal')).status, 404);
  const usual = await create(10, real);
  const refused = await press(usual.id, 'pay');
  t.equal(refused.status, 404);
  t.match(await refused.text(), 'Pagamento não encontrado');
  t.match(
    (await system.api(`/pay/${usual.id}`)).headers.get('content-security-policy'),
    "form-action 'none'",
  );
});

t.test('without a code there is nothing to pay, and without the bank a 503', async (t) => {
  await system.admin('/admin/banks/test/pause', { body: { reason: 'manutenção' } });
  const waiting = await create();
  await system.admin('/admin/banks/test/resume', { method: 'POST' });
  t.equal(waiting.qrCopyPaste, null);
  const early = await order(waiting.id, { do: 'pay' });
  t.ok(early.status === 409 || early.status === 202, 'unless its code came meanwhile');
  const { id } = await create();
  link.refuse(true);
  link.cut();
  isError(t, await order(id, { do: 'pay' }), 503, 'Serviço temporariamente indisponível.');
  link.refuse(false);
});
