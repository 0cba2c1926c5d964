import { eventually, startSystem } from '@payments/testing/system';
import t, { type Test } from 'tap';
import { panelClient } from '../panel-client.ts';

/** Refunds by the panel's forms, without script. */
let offsetMs = 0;
const system = await startSystem({
  // The clock jumps, and the same session goes on.
  env: { SCAN_INTERVAL_SECONDS: '1', REFUND_RETRY_SECONDS: '600', PROOF_SECONDS: '28800' },
  now: () => new Date(Date.now() + offsetMs),
});
t.teardown(system.stop);
const { admin } = system;
const store = await system.createStore({ name: 'Café <b>do</b> Mercado' });
const person = panelClient(system.adminUrl);
await person.post('/panel/sign-in', { key: 'test-admin-key', name: 'Ana' }, '/panel/sign-in');

const detail = async (id: string) => (await admin(`/admin/payments/${id}`)).body;
const page = async (id: string) => (await person.get(`/panel/payments/${id}`)).text;
const faults = (named: Record<string, unknown> = {}) => system.bank('/bank/faults', named);
const ask = (id: string, fields: Record<string, string> = {}) =>
  person.post(`/panel/payments/${id}/refunds`, fields);

async function approved(amount = 1_500): Promise<string> {
  const body = await system.sell(store, { amount });
  return body.id;
}

/** @returns the values of the confirmation page's form */
function formOf(text: string): Record<string, string> {
  const fields = [...text.matchAll(/<input type="hidden" name="(key|amount|reason)" value="([^"]*)"/g)];
  return Object.fromEntries(fields.map(([, name, value]) => [name, value]));
}

const refundsOf = async (id: string, count: number, state: string) =>
  eventually(`${count} ${state}`, async () => {
    const { refunds } = await detail(id);
    const found = refunds.filter((refund: { state: string }) => refund.state === state);
    return found.length === count ? refunds : undefined;
  });

t.test('any key of a form is taken: its hash is kept', async (t) => {
  for (const key of ['a\0b', 'k'.repeat(5_000)]) {
    const id = await approved(10);
    for (let times = 0; times < 2; times += 1) t.equal((await ask(id, { amount: '4', key })).status, 303);
    await refundsOf(id, 1, 'refunded');
  }
});

t.test('a part: typed as people here write it, shown once more, ordered once', async (t) => {
  const id = await approved();
  t.match(await page(id), 'Ainda podem ser devolvidos <span class="money">R$ 1.500,00</span>');
  const asked = await ask(id, { amount: ' R$ 1.234,56 ', reason: 'faltou <b>um</b> item' });
  t.equal(asked.status, 200);
  t.match(asked.text, 'Devolver <span class="money">R$ 1.234,56</span> a quem pagou?');
  t.match(asked.text, 'R$ 265,44', 'and what stays');
  t.match(asked.text, 'faltou &lt;b&gt;um&lt;/b&gt; item');
  t.match(asked.text, 'Café &lt;b&gt;do&lt;/b&gt; Mercado');
  t.strictSame((await detail(id)).refunds, [], 'nothing is ordered yet');

  const form = { ...formOf(asked.text), reason: 'faltou <b>um</b> item' };
  t.match(form, { key: /^[0-9a-f-]{36}$/, amount: '1234,56' });
  const orders = await Promise.all([ask(id, form), ask(id, form), ask(id, form)]);
  for (const { status, headers } of orders) {
    t.equal(status, 303);
    t.equal(headers.get('location'), `/panel/payments/${id}?done=refund-requested#refunds`);
  }
  const [refund, ...others] = await refundsOf(id, 1, 'refunded');
  t.strictSame(others, [], 'sent three times, ordered once');
  t.match(refund, { amount: 1234.56, reason: 'faltou <b>um</b> item' });
  t.match(await detail(id), { status: 'approved', amount: 265.44, charged: 1500 });
  t.match((await detail(id)).changes, [{ action: 'refund.ordered', author: 'ADMIN_KEY', via: 'panel' }]);

  const text = await page(id);
  for (const [name, amount] of Object.entries({
    Valor: 'R$ 265,44',
    'Valor cobrado': 'R$ 1.500,00',
    Recebido: 'R$ 1.500,00',
    Devolvido: 'R$ 1.234,56',
  }))
    t.match(text, `<dt>${name}</dt><dd><span class="money">${amount}</span></dd>`);
  t.match(text, 'Pedida pela administração');
  t.match(text, 'faltou &lt;b&gt;um&lt;/b&gt; item');
  t.match(text, 'Ainda podem ser devolvidos <span class="money">R$ 265,44</span>');
});

t.test('the whole: the payment ends, and says why', async (t) => {
  const id = await approved(20);
  t.notMatch(await page(id), 'Valor cobrado', 'what is the same is said once');
  const asked = await ask(id);
  t.match(asked.text, 'Devolver R$ 20,00');
  t.match(asked.text, 'A devolução é total');
  await ask(id, formOf(asked.text));
  await system.waitForStatus(store, id, 'not_approved');
  const text = await page(id);
  t.match(text, 'Tudo o que foi recebido foi devolvido.');
  t.match(text, /<span class="wrap">Devolução<\/span> ·/);
  t.notMatch(text, 'id="refund"', 'there is no form for what is not approved');
});

t.test('what is wrong is told beside the field, and what was typed stays', async (t) => {
  const id = await approved(50);
  const mistakes: [amount: string, status: number, message: string][] = [
    ['50,01', 409, 'O valor é maior do que o que resta a devolver: R$ 50,00.'],
    ['1.000.000', 409, 'O valor é maior do que o que resta a devolver: R$ 50,00.'],
    ['0', 400, 'Deve ser no mínimo R$ 0,01.'],
    ['-5', 400, 'Deve ser no mínimo R$ 0,01.'],
    ['dez', 400, 'Escreva um número, como 10,00.'],
    ['10,005', 400, 'Pode ter no máximo duas casas decimais.'],
  ];
  for (const [amount, status, message] of mistakes) {
    const answer = await ask(id, { amount, reason: 'porque "sim"' });
    t.equal(answer.status, status, amount);
    t.match(answer.text, `id="refund-amount-error">${message}`);
    t.match(answer.text, `value="${amount}"`);
    t.match(answer.text, 'porque &quot;sim&quot;');
    t.match(answer.text, /<details class="confirm" id="refund" open>/);
  }
  const long = await ask(id, { amount: '1', reason: 'x'.repeat(2_001) });
  t.equal(long.status, 400);
  t.match(long.text, 'id="refund-reason-error">Pode ter no máximo 2000 caracteres.');
  t.strictSame((await detail(id)).refunds, []);
  t.equal((await ask('x')).status, 404);
  t.equal((await ask('0190a5b0-0000-7000-8000-000000000000')).status, 404);
});

t.test('what a refused refund waits to give back is not left: all else can be ordered', async (t) => {
  const id = await approved(50);
  await faults({ refuseRefunds: true });
  await ask(id, formOf((await ask(id, { amount: '30' })).text));
  const [refused] = await refundsOf(id, 1, 'failed');
  await faults();
  t.match(await page(id), 'Ainda podem ser devolvidos <span class="money">R$ 20,00</span>');
  const more = await ask(id, { amount: '20,01' });
  t.match(more.text, 'O valor é maior do que o que resta a devolver: R$ 20,00.');
  const { text } = await ask(id);
  t.match(text, 'Devolver R$ 20,00');
  const rows = [...text.matchAll(/<dt>([^<]*)<\/dt><dd><span class="money">([^<]*)</g)];
  t.strictSame(Object.fromEntries(rows.map(([, name, amount]) => [name, amount])), {
    'Valor a devolver': 'R$ 20,00',
    'Recusado pelo banco, ainda a devolver': 'R$ 30,00',
    'Fica com a loja': 'R$ 0,00',
  });
  t.match(text, 'Com o que o banco recusou, a devolução é total');
  const [, shown = ''] = /name="shown" value="([^"]*)"/.exec(text) ?? [];
  t.equal((await ask(id, { ...formOf(text), shown })).status, 303, 'all that was shown is ordered');
  await refundsOf(id, 1, 'refunded');
  t.match(await page(id), 'O banco recusou a devolução do que resta; peça-a de novo.');
  t.match((await ask(id)).text, 'O banco recusou a devolução do que resta; peça-a de novo.');
  t.match(await detail(id), { status: 'approved', amount: 30 });
  await admin(`/admin/payments/${id}/refunds/${refused!.id}/withdraw`, { body: {} });
  t.match(await page(id), 'Ainda podem ser devolvidos <span class="money">R$ 30,00</span>');
});

t.test('what went back meanwhile can’t go back again', async (t) => {
  const id = await approved(50);
  const [one, two] = [await ask(id, { amount: '30' }), await ask(id, { amount: '30' })];
  t.equal((await ask(id, formOf(one.text))).status, 303);
  await refundsOf(id, 1, 'refunded');
  const late = await ask(id, formOf(two.text));
  t.equal(late.status, 409);
  t.match(late.text, 'O valor é maior do que o que resta a devolver deste pagamento.');
  const other = await ask(id, { ...formOf(one.text), amount: '1' });
  t.equal(other.status, 422, 'nor does a form order another amount');
  t.match(other.text, 'Este formulário já pediu outra devolução.');
  const stale = formOf((await ask(id, { amount: '10' })).text);
  await ask(id, formOf((await ask(id)).text));
  await system.waitForStatus(store, id, 'not_approved');
  const named = await ask(id, stale);
  t.equal(named.status, 409);
  t.match(named.text, 'Um pagamento com status “Não aprovado” não pode ser devolvido.');
  t.equal((await detail(id)).refunds.length, 2);
  const gone = await ask(id);
  t.equal(gone.status, 409);
  t.match(gone.text, 'Só um pagamento aprovado ou consolidado pode ser devolvido.');
});

t.test('a post without this session’s token orders nothing', async (t) => {
  const id = await approved(10);
  const form = formOf((await ask(id)).text);
  for (const _csrf of ['', 'x']) t.equal((await ask(id, { ...form, _csrf })).status, 403);
  t.strictSame((await detail(id)).refunds, []);
});

t.test('while one is under way, the payment is neither consolidated nor called returned', async (t) => {
  const id = await approved(40);
  await faults({ slowRefundsMs: 60_000 });
  await ask(id, formOf((await ask(id, { amount: '10' })).text));
  await refundsOf(id, 1, 'processing');
  const text = await page(id);
  t.match(text, '<dt>Em devolução</dt><dd><span class="money">R$ 10,00</span></dd>');
  t.notMatch(text, '<dt>Devolvido</dt>');
  t.match(text, 'Até ela terminar, o pagamento não pode ser consolidado nem sacado.');
  const move = await person.post(`/panel/payments/${id}/status`, { status: 'paid', reason: 'fim do dia' });
  t.equal(move.status, 409);
  t.match(move.text, 'Nada foi alterado. Há uma devolução em andamento.');
  t.match(move.text, 'fim do dia', 'and the reason stays');
  t.equal((await detail(id)).status, 'approved');
  await faults();
});

t.test('one that the bank refuses is asked for again by the service, then waits for a person', async (t) => {
  const id = await approved(80);
  await faults({ refuseRefunds: true });
  await ask(id, formOf((await ask(id, { amount: '30' })).text));
  await refundsOf(id, 1, 'failed');
  const refused = await page(id);
  t.match(refused, /Será pedida de novo em <time/);
  t.match(refused, 'Recusada pelo PSP do pagador');
  t.notMatch(refused, '<dt>Devolvido</dt>');
  t.match((await person.get('/panel/refunds')).text, /Próxima tentativa automática: <time/);

  offsetMs += 601_000;
  const [, second] = await refundsOf(id, 2, 'failed');
  await eventually('a debt', async () => ((await page(id)).includes('Devolução devida') ? true : undefined));
  const owed = await page(id);
  t.match(owed, 'Devolução devida: <span class="money">R$ 30,00</span>.');
  t.match(
    owed,
    /Devida: peça de novo<\/span><span class="small block">Faltam <span class="money">R\$ 30,00<\/span>/,
  );
  await listsOwed(t, id);

  await faults();
  const retry = `/panel/payments/${id}/refunds/${second?.id}/retry`;
  t.match(owed, retry);
  t.equal((await person.post(retry, { reason: 'conta reaberta' })).status, 303);
  await refundsOf(id, 1, 'refunded');
  t.notMatch(await page(id), 'Devolução devida');
  t.notMatch((await person.get('/panel/refunds')).text, id, 'what was made after all is in the list no more');
});

t.test('a refused one can be given up: nothing is owed, and the payment goes on', async (t) => {
  const id = await approved(40);
  await faults({ refuseRefunds: true });
  await ask(id, formOf((await ask(id, { amount: '15' })).text));
  const [refused] = await refundsOf(id, 1, 'failed');
  await faults();
  t.equal((await person.post(`/panel/payments/${id}/status`, { status: 'paid' })).status, 409);
  const withdraw = `/panel/payments/${id}/refunds/${refused?.id}/withdraw`;
  t.match(await page(id), withdraw);
  const tooLong = 'x'.repeat(2_001);
  const long = await person.post(withdraw, { reason: tooLong });
  t.equal(long.status, 400);
  t.match(long.text, `id="withdraw-${refused?.id}" open`);
  t.notMatch(long.text, `id="refund-${refused?.id}" open`, 'the other form stays closed');
  t.match(long.text, `>\n${tooLong}</textarea>`);
  t.equal((await person.post(withdraw, { reason: 'engano' })).status, 303);
  t.match(await page(id), 'Devolução retirada');
  t.notMatch(await page(id), 'Será pedida de novo');
  t.equal((await person.post(withdraw, { reason: 'engano' })).status, 409, 'once');
  t.equal((await person.post(`/panel/payments/${id}/status`, { status: 'paid' })).status, 303);
  t.match(await detail(id), { status: 'paid', amount: 40 });
});

t.test('the sum of what is owed is what the bank has not taken back by itself meanwhile', async (t) => {
  const other = await system.createStore();
  const { id, qrCopyPaste } = await system.sell(other, { amount: 100 });
  await faults({ refuseRefunds: true });
  const second = await system.bank('/bank/pay', { pixCopiaECola: qrCopyPaste });
  await refundsOf(id, 1, 'failed');
  const { endToEndId } = second.body;
  const takeBack = (valor: string) => system.bank('/bank/refunds', { endToEndId, valor });
  const list = async (show: string) =>
    (await person.get(`/panel/refunds?storeId=${other.id}&show=${show}`)).text;
  await faults();
  await takeBack('40.00');
  await refundsOf(id, 1, 'refunded');
  const waits = await list('');
  t.match(waits, /1 devolução, no total de <strong><span class="money">R\$ 60,00/, 'to be ordered again');
  t.match(waits, /Faltam <span class="money">R\$ 60,00<\/span>\. Será pedida de novo em <time/);
  await faults({ refuseRefunds: true });
  offsetMs += 601_000;
  await refundsOf(id, 2, 'failed');
  await faults();
  await takeBack('10.00');
  await refundsOf(id, 2, 'refunded');
  for (const show of ['', 'owed']) {
    const text = await list(show);
    t.match(text, /1 devolução, no total de <strong><span class="money">R\$ 50,00/, show);
    t.match(text, 'Faltam <span class="money">R$ 50,00</span>');
    t.match(text, 'Total devido: <span class="money">R$ 50,00</span>.');
  }
  const made = (await person.get(`/panel/refunds?storeId=${other.id}&show=made`)).text;
  t.match(made, /2 devoluções, no total de <strong><span class="money">R\$ 50,00/, 'what went back');
});

t.test('refunds that were made have a list of their own, with their sum', async (t) => {
  await faults();
  const id = await approved(40);
  await ask(id, formOf((await ask(id, { amount: '7' })).text));
  await refundsOf(id, 1, 'refunded');
  const made = (await person.get('/panel/refunds?show=made')).text;
  t.match(made, `/panel/payments/${id}#refunds`);
  t.match(made, 'aria-current="page">Feitas');
  t.match(made, 'Devolvida');
  t.match(made, /\d+ devoluç(ão|ões), no total de/);
  t.notMatch((await person.get('/panel/refunds')).text, id);
  t.match((await person.get('/panel/refunds.csv?show=made')).text, id);
});

async function listsOwed(t: Test, id: string): Promise<void> {
  const newer = await approved(25);
  await faults({ slowRefundsMs: 60_000 });
  await ask(newer, formOf((await ask(newer)).text));
  await refundsOf(newer, 1, 'processing');
  const all = (await person.get('/panel/refunds')).text;
  t.match(all, 'Total devido: <span class="money">R$ 30,00</span>.');
  t.match(all, 'Uma devolução precisa ser pedida de novo');
  t.ok(all.indexOf(id) < all.indexOf(newer), 'what is owed comes first');
  const owed = (await person.get('/panel/refunds?show=owed')).text;
  t.match(owed, id);
  t.notMatch(owed, newer);
  t.match(owed, 'aria-current="page">Só as devidas');
  const start = (await person.get('/panel')).text;
  t.match(
    start,
    /href="\/panel\/refunds\?show=owed"><span>Devoluções devidas<\/span>\s*<strong>1<\/strong><small>R\$ 30,00 a devolver/,
  );
}
