import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from '../panel-client.ts';

/** A decision says beforehand what it does. A refused decision is explained on the page where it was made. */
let offsetMs = 0;
const system = await startSystem({
  // The clock jumps, and the same session goes on.
  env: { SESSION_IDLE_SECONDS: '28800' },
  now: () => new Date(Date.now() + offsetMs),
});
t.teardown(system.stop);
const { admin } = system;
const store = await system.createStore({ reviewAbove: 500 });
const person = panelClient(system.adminUrl);
await person.post('/panel/sign-in', { key: 'test-admin-key', name: 'Ana' }, '/panel/sign-in');

const detail = async (id: string) => (await admin(`/admin/payments/${id}`)).body;
const page = async (id: string) => (await person.get(`/panel/payments/${id}`)).text;
const reviews = async () => (await person.get('/panel/reviews')).text;
const faults = (named: Record<string, unknown> = {}) => system.bank('/bank/faults', named);
const decide = (id: string, fields: Record<string, string>) =>
  person.post(`/panel/payments/${id}/status`, fields);

async function inReview(amount: number, paid = amount): Promise<string> {
  const body = await system.sell(store, { amount }, { valor: paid.toFixed(2), until: 'review' });
  return body.id;
}

/** Makes the bank take money back by itself (MED). */
async function med(id: string, valor?: string): Promise<void> {
  const { endToEndId } = (await detail(id)).pix[0]!;
  const known = (await detail(id)).refunds.length;
  await system.bank('/bank/refunds', { endToEndId, ...(valor ? { valor } : {}) });
  await eventually('a MED', async () => ((await detail(id)).refunds.length > known ? true : undefined));
}

/** The buttons that open a decision. */
const buttons = (text: string) =>
  [...text.matchAll(/<summary class="button[^"]*">([^<]*)<\/summary>/g)].map(([, label]) => label);

t.test('approving another amount than was charged says which', async (t) => {
  const id = await inReview(100, 5);
  const label = 'Aprovar por R$ 5,00; a cobrança era de R$ 100,00';
  t.strictSame(buttons(await page(id)), [label, 'Rejeitar e devolver']);
  t.ok(buttons(await reviews()).includes(label));
  t.match(await reviews(), 'Cobrança de <span class="money">R$ 100,00</span>');
  t.match(await page(id), 'A devolução de R$ 5,00 a quem pagou será pedida ao banco.');
  t.equal((await decide(id, { status: 'approved' })).status, 303);
  t.match(await detail(id), { status: 'approved', amount: 5, charged: 100 });
  const text = await page(id);
  t.match(text, '<h1><span>Pagamento de <span class="money">R$ 5,00</span></span>');
  t.match(text, '<dt>Valor cobrado</dt><dd><span class="money">R$ 100,00</span></dd>');
});

t.test('approving what was charged is plain', async (t) => {
  const id = await inReview(600);
  t.strictSame(buttons(await page(id)), ['Aprovar', 'Rejeitar e devolver']);
  t.ok(buttons(await reviews()).includes('Aprovar'));
  t.equal((await decide(id, { status: 'approved' })).status, 303);
});

t.test('what the bank took of a review is taken off before the click', async (t) => {
  const id = await inReview(600);
  await med(id, '250.50');
  const label = 'Aprovar por R$ 349,50; a cobrança era de R$ 600,00';
  t.strictSame(buttons(await page(id))[0], label);
  const list = await reviews();
  t.ok(buttons(list).includes(label));
  t.match(list, 'Já foram devolvidos <span class="money">R$ 250,50</span>.');
  t.match(await page(id), 'Devolução iniciada pelo banco (MED): suspeita de fraude');
  await med(id);
  const refused = await decide(id, { status: 'approved', reason: 'combinado', back: 'reviews' });
  t.equal(refused.status, 409);
  t.match(refused.text, 'Nada foi alterado. Nada resta do que foi recebido.');
  t.match(refused.text, 'combinado', 'and the reason typed stays');
  await decide(id, { status: 'not_approved' });
});

t.test('what is on its way back of a review is not promised again', async (t) => {
  const id = await inReview(600);
  await faults({ slowRefundsMs: 600_000 });
  await med(id, '180.00');
  const rejection = 'A devolução de R$ 420,00 a quem pagou será pedida ao banco.';
  for (const text of [await page(id), await reviews()]) t.match(text, rejection);
  await med(id);
  for (const text of [await page(id), await reviews()]) {
    t.match(text, 'A devolução já está em andamento. Isto não pode ser desfeito.');
    t.notMatch(text, 'será pedida ao banco. Isto não');
  }
  await decide(id, { status: 'not_approved' });
  t.match((await detail(id)).refunds, { length: 2 }, 'nothing more is ordered');
  await faults();
});

t.test('an approval is worth what its button said, or is refused', async (t) => {
  const id = await inReview(700);
  const [, shown = ''] = /name="shown" value="(\d+)"/.exec(await page(id)) ?? [];
  t.equal(shown, '70000');
  await faults({ dropCallbacks: true });
  const { endToEndId } = (await detail(id)).pix[0]!;
  await system.bank('/bank/refunds', { endToEndId, valor: '200.00' });
  const stale = await decide(id, { status: 'approved', reason: 'combinado', shown });
  await faults();
  t.equal(stale.status, 409);
  t.match(stale.text, 'Nada foi alterado. O valor a aprovar mudou. Confira e decida de novo.');
  t.equal(buttons(stale.text)[0], 'Aprovar por R$ 500,00; a cobrança era de R$ 700,00');
  t.equal((await detail(id)).status, 'review');
  t.equal((await decide(id, { status: 'approved', shown: '50000' })).status, 303);
  t.match(await detail(id), { status: 'approved', amount: 500 });
});

t.test('a form of another status than the payment has does nothing', async (t) => {
  const { token } = store;
  const { body } = await system.api('/api-public/payments', { token, body: { amount: 100 } });
  const { id, qrCopyPaste } = body;
  const fieldsOf = (text: string) =>
    Object.fromEntries(
      [...text.matchAll(/name="(status|from)" value="(\w+)"/g)].map(([, name, value]) => [name!, value!]),
    );
  const cancelling = { ...fieldsOf(await page(id)), reason: 'cliente desistiu' };
  t.match(cancelling, { status: 'not_approved', from: 'pending' });
  await system.bank('/bank/pay', { pixCopiaECola: qrCopyPaste, valor: '90.00' });
  await system.waitForStatus(store, id, 'review');
  const stale = await decide(id, cancelling);
  t.equal(stale.status, 409);
  t.match(stale.text, 'Nada foi alterado. O pagamento mudou enquanto a página estava aberta.');
  t.notMatch(stale.text, `id="move-review-not_approved-${id}" open`, 'and offers nothing in its place');
  t.match(await detail(id), { status: 'review', refunds: [] });
  t.equal((await decide(id, { ...cancelling, from: 'review' })).status, 303);
});

t.test('a bank that does not answer is told in plain words, and the reason typed stays', async (t) => {
  const id = await inReview(100, 90);
  await faults({ status: 503, only: ['getCob'] });
  const answer = await decide(id, { status: 'approved', reason: 'cliente <ligou>', back: 'reviews' });
  await faults();
  t.equal(answer.status, 503);
  t.match(answer.text, 'O banco não respondeu; nada foi alterado. Tente de novo.');
  t.match(answer.text, 'cliente &lt;ligou&gt;');
  t.match(answer.text, `<details class="confirm" id="move-review-approved-${id}" open>`);
  t.match(answer.text, 'name="back" value="reviews"', 'and leads on to where it came from');
  t.equal((await detail(id)).status, 'review');
  const again = await eventually('the bank to be asked again', async () => {
    const one = await decide(id, { status: 'approved', reason: 'cliente ligou', back: 'reviews' });
    return one.status === 303 ? one : undefined;
  });
  t.equal(again.headers.get('location'), '/panel/reviews?done=review-approved');
});

t.test('a time-out whose refund the bank refuses is nowhere called returned', async (t) => {
  const id = await inReview(100, 60);
  await faults({ slowRefundsMs: 600_000, refuseRefunds: true });
  offsetMs += 1_801_000;
  await system.waitForStatus(store, id, 'not_approved');
  const underWay = await page(id);
  t.match(underWay, 'A análise não foi decidida a tempo. A devolução está em processamento no banco.');
  t.notMatch(underWay, 'devolvido');
  await faults();
  await system.bank('/bank/clock', { advanceSeconds: 601 });
  await eventually('the refusal', async () =>
    (await detail(id)).refunds[0]?.state === 'failed' ? true : undefined,
  );
  const refused = await page(id);
  t.match(refused, 'A análise não foi decidida a tempo. O banco recusou a devolução.');
  t.notMatch(refused, 'foi devolvido');
});

t.test('a second Pix whose refund the bank refuses, too', async (t) => {
  const body = await system.sell(store, { amount: 30 });
  await faults({ refuseRefunds: true });
  await system.bank('/bank/pay', { pixCopiaECola: body.qrCopyPaste });
  await eventually('a refusal', async () =>
    (await detail(body.id)).refunds.some(({ state }: { state: string }) => state === 'failed')
      ? true
      : undefined,
  );
  await faults();
  const text = await page(body.id);
  t.match(text, 'Segundo Pix, não conta para o pagamento. O banco recusou a devolução.');
  t.notMatch(text, 'Foi devolvido');
  t.match(text, '<dt>Recebido</dt><dd><span class="money">R$ 60,00</span></dd>');
});

for (const first of ['ORIGINAL', 'MED_FRAUDE'])
  t.test(`a payment that was given back in the bank's app at last, and ${first} before`, async (t) => {
    const { id } = await system.sell(store, { amount: 40 });
    const { endToEndId } = (await detail(id)).pix[0]!;
    await system.bank('/bank/refunds', { endToEndId, valor: '10.00', natureza: first });
    await system.bank('/bank/refunds', { endToEndId, natureza: 'ORIGINAL' });
    await system.waitForStatus(store, id, 'not_approved');
    const text = await page(id);
    t.match(text, 'Tudo o que foi recebido foi devolvido diretamente no banco, e não por este serviço.');
    t.match(text, 'Devolução feita diretamente no banco');
    t.notMatch(text, 'O banco devolveu tudo');
    t.equal(text.includes('(MED)'), first === 'MED_FRAUDE', 'on the row of the MED alone');
  });

t.test('a code is shown while it may be paid, as the payer sees it', async (t) => {
  const order = { amount: 10, expiresIn: 60 };
  const { body } = await system.api('/api-public/payments', { token: store.token, body: order });
  const image = () => person.get(`/panel/payments/${body.id}/qr.svg`);
  t.match(await page(body.id), body.qrCopyPaste);
  t.equal((await image()).status, 200);
  // Past its time, and not closed yet.
  offsetMs += 90_000;
  const text = await page(body.id);
  t.match(text, 'O prazo para pagar terminou em ');
  t.notMatch(text, body.qrCopyPaste);
  t.notMatch(text, 'Pode ser pago até');
  t.equal((await image()).status, 404);
  t.equal((await detail(body.id)).status, 'pending');
});
