import { untilWaiting } from '@payments/testing/pause';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { fieldsOf, panelClient } from '../panel-client.ts';

/** The panel's forms work without script, and record the name of the signed-in person. */
const system = await startSystem({ env: { WEBHOOK_RETRY_SECONDS: '0.05', WEBHOOK_TIMEOUT_MS: '120000' } });
t.teardown(system.stop);
const { admin } = system;
let answer = 500;
const receiver = await startReceiver({ answer: () => ({ status: answer }) });
t.teardown(receiver.close);
const person = panelClient(system.adminUrl);
await person.post('/panel/sign-in', { key: 'test-admin-key', name: 'Ana' }, '/panel/sign-in');

const newStore = async (fields: Record<string, string> = {}) => {
  const { headers } = await person.post('/panel/stores', { name: 'Loja', ...fields });
  return /stores\/([^/]+)\/store/.exec(headers.get('location') ?? '')?.[1] ?? '';
};
const detail = async (id: string) => (await admin(`/admin/payments/${id}`)).body;
const charge = async (storeId: string, body: Record<string, unknown>) =>
  (await admin(`/admin/stores/${storeId}/payments`, { body })).body;
const inReview = async (storeId: string) => {
  const payment = await charge(storeId, { amount: 20 });
  await system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste, valor: '19.00' });
  await eventually('review', async () => ((await detail(payment.id)).status === 'review' ? true : undefined));
  return payment.id as string;
};

t.test('a store: numbers as people here write them', async (t) => {
  const id = await newStore({
    feePercent: '1,5',
    feeFixed: 'R$ 0,30',
    maxAmount: '12.345,67',
    reviewAbove: '500',
  });
  const { body } = await admin(`/admin/stores/${id}`);
  t.match(body, { feePercent: 1.5, feeFixed: 0.3, maxAmount: 12345.67, reviewAbove: 500, active: true });
  const tab = (await person.get(`/panel/stores/${id}/store`)).text;
  for (const value of ['1,5', '0,30', '12345,67', '500,00']) t.match(tab, `value="${value}"`);
  const change = await person.post(`/panel/stores/${id}`, { name: 'Outra', feePercent: '', maxAmount: '' });
  t.equal(change.status, 303);
  t.match((await admin(`/admin/stores/${id}`)).body, { name: 'Outra', feePercent: null, maxAmount: 3000 });
  const { items } = (await admin(`/admin/stores/${id}/changes`)).body;
  t.match(items[0], { action: 'store.changed', author: 'ADMIN_KEY', via: 'panel' });
  t.match((await person.get(`/panel/stores/${id}`)).text, 'nome: Loja, taxa percentual: 1,5 %');
});

t.test('a form with a mistake says which, keeps what was typed, and changes nothing', async (t) => {
  const mistakes: [field: string, value: string, message: string][] = [
    ['name', ' ', 'Não pode ficar em branco.'],
    ['name', 'x'.repeat(201), 'Pode ter no máximo 200 caracteres.'],
    ['feePercent', '101', 'Deve ser no máximo 100 %.'],
    ['feePercent', 'dez', 'Escreva um número, como 1,5.'],
    ['feePercent', '1,23456', 'Pode ter no máximo quatro casas decimais.'],
    ['feeFixed', '-1', 'Deve ser no mínimo R$ 0,00.'],
    ['maxAmount', '4,99', 'Deve ser no mínimo R$ 3.000,00.'],
    ['maxAmount', '1.000.001', 'Deve ser no máximo R$ 1.000.000,00.'],
    ['reviewAbove', '10,001', 'Pode ter no máximo duas casas decimais.'],
  ];
  const before = (await admin('/admin/stores')).body.items.length;
  for (const [field, value, message] of mistakes) {
    const { status, text } = await person.post('/panel/stores', { name: 'Boa', [field]: value });
    t.equal(status, 400, message);
    t.match(text, `id="${field}-error">${message}`);
    t.match(text, 'aria-invalid="true"');
    if (field !== 'name') t.match(text, `value="${value}"`);
  }
  t.equal((await admin('/admin/stores')).body.items.length, before);
});

t.test('a form that was loaded before another’s change leaves what its person did not touch', async (t) => {
  const id = await newStore({ feePercent: '1,5', maxAmount: '5.000' });
  const tab = `/panel/stores/${id}/store`;
  /** Posts a form as the page of `loaded` had it, with what the person changes. */
  const send = (loaded: string, action: string, changes: Record<string, string>) =>
    person.post(action, { ...fieldsOf(loaded, action), ...changes });
  const store = async () => (await admin(`/admin/stores/${id}`)).body;
  const settings = `/panel/stores/${id}`;
  await person.post(`${settings}/choices`, { 'payment.updated': 'on', refundLimitPerDay: '10' });
  const loaded = (await person.get(tab)).text;
  t.equal((await send(loaded, settings, { feePercent: '' })).status, 303);
  t.equal((await send(loaded, settings, { maxAmount: '4.000', reviewAbove: '100' })).status, 303);
  t.match(await store(), { reviewAbove: 100, feePercent: null, maxAmount: 4000 });

  const taken = await admin(settings.replace('panel', 'admin'), { method: 'PATCH', body: { events: [] } });
  t.equal(taken.status, 200);
  const wrong = await send(loaded, `${settings}/choices`, { refundLimitPerDay: 'vinte' });
  t.equal(wrong.status, 400);
  t.notMatch(wrong.text, /name="payment.updated" type="checkbox" checked/, 'what was taken away meanwhile');
  t.equal((await send(wrong.text, `${settings}/choices`, { refundLimitPerDay: '20' })).status, 303);
  t.match(await store(), { events: [], refundLimitPerDay: 20 });

  const invited = { name: 'Rui', email: 'rui@loja.example', role: 'owner' };
  const { body: account } = await admin('/admin/accounts', { body: invited });
  const page = `/panel/accounts/${account.id}`;
  const before = (await person.get(page)).text;
  await admin(`/admin/accounts/${account.id}`, { method: 'PATCH', body: { role: 'viewer' } });
  t.equal((await send(before, page, { name: 'Rui Reis' })).status, 303);
  t.match((await admin(`/admin/accounts/${account.id}`)).body, { name: 'Rui Reis', role: 'viewer' });
  t.equal((await send((await person.get(page)).text, page, { role: 'finance' })).status, 303);
  t.match((await admin(`/admin/accounts/${account.id}`)).body, { role: 'finance' });

  const [changed, save] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const another = system.db.transaction().execute(async (trx) => {
    await trx.updateTable('accounts').set({ role: 'viewer' }).where('id', '=', account.id).execute();
    changed.resolve();
    await save.promise;
  });
  await changed.promise;
  const sent = send((await person.get(page)).text, page, { name: 'Rui Reis' });
  await untilWaiting(system.env.DATABASE_URL!, 1);
  save.resolve();
  await another;
  t.equal((await sent).status, 303);
  const after = (await admin(`/admin/accounts/${account.id}`)).body;
  t.match(after, { name: 'Rui Reis', role: 'viewer' }, 'also what another saves at the same moment');
});

t.test('tokens: shown once, replaced, deactivated', async (t) => {
  const id = await newStore();
  const generate = async (fields = {}) => person.post(`/panel/stores/${id}/tokens`, fields);
  const tokenIn = (page: string) => /pp_[\w-]{43}/.exec(page)?.[0] ?? '';
  const use = (token: string) => system.api('/api-public/payments', { token });
  const first = tokenIn((await generate()).text);
  t.equal((await use(first)).status, 200);
  t.notMatch((await person.get(`/panel/stores/${id}/store`)).text, first);
  const second = tokenIn((await generate({ expiresAt: '2999-12-31T23:59' })).text);
  t.equal((await use(first)).body.message, 'Apenas o token mais recente é válido.');
  t.equal((await use(second)).status, 200);
  const { items } = (await admin(`/admin/stores/${id}/tokens`)).body;
  t.equal(items[0].expiresAt, '3000-01-01T02:59:00.000Z', 'in Brazilian time');
  await person.post(`/panel/stores/${id}/tokens/${items[0].id}/deactivate`);
  t.equal((await use(second)).body.message, 'Token inválido ou expirado.');
  const wrong = await generate({ expiresAt: '2999-02-30T00:00' });
  t.equal(wrong.status, 400);
  t.match(wrong.text, 'Escreva uma data e uma hora válidas.');
  await generate();
  const past = await generate({ expiresAt: '01/02/2020 10:30' });
  t.equal(past.status, 400);
  t.match(past.text, /id="new-token" open>.*value="01\/02\/2020 10:30".*Deve ser um momento futuro\./s);
});

t.test('the webhook secret: shown when asked for, and replaced', async (t) => {
  const id = await newStore();
  const { secret } = (await admin(`/admin/stores/${id}/webhook-secret`)).body;
  t.notMatch((await person.get(`/panel/stores/${id}/store`)).text, secret);
  const show = () => person.post(`/panel/stores/${id}/webhook-secret/show`);
  t.match((await show()).text, secret);
  t.match((await person.get(`/panel/stores/${id}/changes`)).text, 'Segredo dos webhooks mostrado');
  const rotated = (await person.post(`/panel/stores/${id}/webhook-secret/rotate`)).text;
  t.match(rotated, 'Segredo trocado.');
  t.match(rotated, secret, 'the previous one, while it signs');
  const { secret: next, previousSecret } = (await admin(`/admin/stores/${id}/webhook-secret`)).body;
  t.not(next, secret);
  t.equal(previousSecret, secret);
});

t.test('a payment made by an administrator, once', async (t) => {
  const id = await newStore();
  const page = await person.get(`/panel/stores/${id}/payments/new`);
  const key = /name="key" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
  const create = (amount: string) =>
    person.post(`/panel/stores/${id}/payments`, { key, amount, email: 'ana@example.com' });
  const tooMuch = await create('3.000,01');
  t.equal(tooMuch.status, 400);
  t.match(tooMuch.text, 'Valor máximo permitido para geração de pagamentos é R$ 3000,00.');
  t.match(tooMuch.text, 'value="ana@example.com"');
  const [one, two] = [await create('19,90'), await create('19,90')];
  t.equal(one.status, 303);
  t.equal(one.headers.get('location'), two.headers.get('location'), 'a second click makes no second payment');
  const paymentId = /payments\/([^?]+)/.exec(one.headers.get('location') ?? '')?.[1] ?? '';
  t.match(await detail(paymentId), { isPublic: false, amount: 19.9, storeId: id });
  await person.post(`/panel/stores/${id}/active`, { active: 'false' });
  const refused = await create('19,91');
  t.equal(refused.status, 403);
  t.match(refused.text, 'Loja inativa.');
});

t.test('reviews: approved, rejected, and what is no longer allowed', async (t) => {
  const store = await newStore();
  const [approved, rejected] = [await inReview(store), await inReview(store)];
  const list = (await person.get('/panel/reviews')).text;
  t.match(list, 'O valor do Pix é diferente do valor cobrado.');
  t.match(list, /Restam (29|30) min/);
  const decide = (id: string, fields: Record<string, string>) =>
    person.post(`/panel/payments/${id}/status`, fields);
  const answer = await decide(approved, { status: 'approved', reason: 'combinado', back: 'reviews' });
  t.equal(answer.headers.get('location'), '/panel/reviews?done=review-approved');
  t.match((await detail(approved)).events[2], {
    status: 'approved',
    author: 'ADMIN_KEY',
    reason: 'combinado',
  });
  t.equal((await decide(rejected, { status: 'not_approved' })).status, 303);
  await eventually('refund', async () =>
    (await detail(rejected)).refunds[0]?.state === 'refunded' ? true : undefined,
  );
  t.match((await person.get(`/panel/payments/${rejected}`)).text, 'Devolvida');
  const late = await decide(rejected, { status: 'approved', reason: 'tarde demais' });
  t.equal(late.status, 409);
  t.match(late.text, 'Nada foi alterado');
  const long = await decide(approved, { status: 'paid', reason: 'x'.repeat(2_001) });
  t.equal(long.status, 400);
  t.match(long.text, 'Pode ter no máximo 2000 caracteres.');
  t.equal((await decide(approved, { status: 'nowhere' })).status, 400);
  t.equal((await decide('x', { status: 'paid' })).status, 404);
});

const tooLong = 'x'.repeat(2_001);

t.test('a refund that the bank refused is ordered anew', async (t) => {
  const id = await inReview(await newStore());
  await system.bank('/bank/faults', { refuseRefunds: true });
  await person.post(`/panel/payments/${id}/status`, { status: 'not_approved' });
  const failed = await eventually('a refused refund', async () =>
    (await detail(id)).refunds.find(({ state }: { state: string }) => state === 'failed'),
  );
  await system.bank('/bank/faults', { refuseRefunds: false });
  t.match((await person.get('/panel/refunds')).text, 'Será pedida de novo em');
  const page = (await person.get(`/panel/payments/${id}`)).text;
  t.match(page, `/panel/payments/${id}/refunds/${failed.id}/retry`);
  const retry = (reason = 'de novo') =>
    person.post(`/panel/payments/${id}/refunds/${failed.id}/retry`, { reason });
  const long = await retry(tooLong);
  t.equal(long.status, 400);
  t.match(long.text, `id="refund-${failed.id}" open`);
  t.match(long.text, `>\n${tooLong}</textarea>`, 'what was typed stays');
  t.match(long.text, 'Pode ter no máximo 2000 caracteres.');
  t.equal((await retry()).status, 303);
  await eventually('a refund', async () =>
    (await detail(id)).refunds.find(({ state }: { state: string }) => state === 'refunded'),
  );
  const again = await retry();
  t.equal(again.status, 409);
  t.match(again.text, 'A devolução já foi solicitada novamente.');
  t.match(again.text, 'Devolução pedida de novo', 'and the history tells of the first');
});

t.test('deliveries: one sent again, many sent again, a receiver left alone released', async (t) => {
  const store = await newStore();
  const payments = [];
  for (let n = 0; n < 6; n += 1) payments.push(await charge(store, { amount: 10, webhookUrl: receiver.url }));
  const dead = async () => (await admin(`/admin/deliveries?state=dead&storeId=${store}`)).body;
  await eventually('dead deliveries', async () => ((await dead()).total === 6 ? true : undefined));
  const { items: endpoints } = (await admin('/admin/endpoints')).body;
  t.match((await person.get('/panel/deliveries/endpoints')).text, receiver.url);
  answer = 200;
  for (const again of [false, true]) {
    const released = await person.post(`/panel/deliveries/endpoints/${endpoints[0]!.id}/release`);
    const told = [303, '/panel/deliveries/endpoints?done=endpoint-released'];
    t.strictSame([released.status, released.headers.get('location')], told, `again: ${again}`);
    t.strictSame((await admin('/admin/endpoints')).body.items, []);
  }
  const one = (await dead()).items[0];
  await person.post(`/panel/payments/${one.paymentId}/deliveries/${one.id}/redeliver`);
  const list = (await person.get(`/panel/deliveries?state=dead&storeId=${store}`)).text;
  t.match(list, 'Enviar todas de novo');
  t.match(list, /Até [56] entregas que falharam serão enviadas de novo, desta loja, aos poucos/);
  const many = await person.post('/panel/deliveries/redeliver', { storeId: store });
  t.match(many.headers.get('location') ?? '', /count=[56]$/);
  await eventually('all delivered', async () =>
    (await admin(`/admin/deliveries?state=delivered&storeId=${store}`)).body.total === 6 ? true : undefined,
  );
});

t.test('a delivery that waits for an earlier one is not sent again, and the page says why', async (t) => {
  const firstEnds = Promise.withResolvers<void>();
  const slow = await startReceiver({ answer: () => ({ status: 200, after: firstEnds.promise }) });
  t.teardown(slow.close);
  const { id } = await charge(await newStore(), { amount: 10, webhookUrl: slow.url });
  await slow.waitForCount(1);
  await admin(`/admin/payments/${id}/status`, { body: { status: 'not_approved' } });
  const { items } = (await admin(`/admin/deliveries?paymentId=${id}`)).body;
  const sendAgain = (event: string) => {
    const delivery = items.find((one: { event: string }) => one.event === event);
    return person.post(`/panel/payments/${id}/deliveries/${delivery.id}/redeliver`);
  };
  const waiting = await sendAgain('payment.status_changed');
  t.equal(waiting.status, 409);
  t.match(waiting.text, 'A entrega espera a primeira tentativa do evento anterior deste pagamento.');
  t.match((await sendAgain('payment.created')).text, 'Há uma tentativa de entrega em andamento.');
  firstEnds.resolve();
});

t.test('a delivery’s event has its own name in the list', async (t) => {
  const store = await newStore();
  await person.post(`/panel/stores/${store}/choices`, { 'refund.updated': 'on' });
  const payment = await charge(store, { amount: 20, webhookUrl: receiver.url });
  await system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste });
  await eventually('approval', async () => (await detail(payment.id)).status === 'approved' || undefined);
  await admin(`/admin/payments/${payment.id}/refunds`, { body: { amount: 1 } });
  const list = await eventually('the event of the refund', async () => {
    const { text } = await person.get(`/panel/deliveries?storeId=${store}`);
    return text.includes('>Devolução</a>') ? text : undefined;
  });
  for (const event of ['Criação', 'Mudança de status']) t.equal(list.split(`>${event}</a>`).length, 2, event);
});

t.test('payments are found by id, txid, endToEndId and e-mail, and filtered', async (t) => {
  const store = await newStore();
  const payment = await charge(store, { amount: 42, email: 'Bia@Example.com' });
  await charge(store, { amount: 43 });
  await system.bank('/bank/pay', { pixCopiaECola: payment.qrCopyPaste });
  const pix = await eventually('a Pix', async () => (await detail(payment.id)).pix[0]);
  const txid = payment.id.replaceAll('-', '');
  for (const q of [payment.id, txid, pix.endToEndId, 'bia@example.com', ` ${payment.id} `]) {
    const { headers } = await person.get(`/panel/payments?q=${encodeURIComponent(q)}`);
    t.equal(headers.get('location'), `/panel/payments/${payment.id}`, q);
  }
  const list = (await person.get(`/panel/payments?storeId=${store}&status=approved`)).text;
  t.match(list, 'R$ 42,00');
  t.notMatch(list, 'R$ 43,00');
  t.match(
    (await person.get(`/panel/payments?storeId=${store}&from=2020-01-01&to=2020-01-02`)).text,
    'Nada encontrado',
  );
});

t.test(
  'an open page that asks again is answered 304 until something changes, and 401 without a session',
  async (t) => {
    const payment = await charge(await newStore(), { amount: 10 });
    const path = `/panel/payments/${payment.id}/live`;
    const first = await person.get(path, { 'x-panel-live': '1' });
    const etag = first.headers.get('etag') ?? '';
    const ask = () => person.get(path, { 'x-panel-live': '1', 'if-none-match': etag });
    t.equal((await ask()).status, 304);
    await admin(`/admin/payments/${payment.id}/status`, { body: { status: 'not_approved' } });
    const changed = await ask();
    t.equal(changed.status, 200);
    t.match(changed.text, 'Não aprovado');
    t.equal((await panelClient(system.adminUrl).get(path, { 'x-panel-live': '1' })).status, 401);
  },
);

t.test('an open page is told nothing by the session of somebody who signed in since', async (t) => {
  const payment = await charge(await newStore(), { amount: 10 });
  const path = `/panel/payments/${payment.id}`;
  const browser = panelClient(system.adminUrl);
  await browser.signIn();
  const session = /data-session="([^"]+)"/.exec((await browser.get(path)).text)?.[1] ?? '';
  const ask = () => browser.get(`${path}/live`, { 'x-panel-live': '1', 'x-panel-session': session });
  t.equal((await ask()).status, 200);
  await browser.post('/panel/sign-out');
  await browser.signIn();
  t.equal((await browser.get(path)).status, 200);
  t.equal((await ask()).status, 401);
});
