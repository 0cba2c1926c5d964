import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from '../../public/payments/expectations.ts';
import { panelClient } from '../panel-client.ts';

// A Pix can be given back for 90 days (API Pix 2.9), and a named amount as a whole or not at all: the answers, and the
// panel's words.
const system = await startSystem({ env: { SCAN_INTERVAL_SECONDS: '1', REFUND_RETRY_SECONDS: '600' } });
t.teardown(system.stop);
const { admin, db } = system;
const store = await system.createStore();
const person = panelClient(system.adminUrl);
await person.post('/panel/sign-in', { key: 'test-admin-key', name: 'Ana' }, '/panel/sign-in');
const over = 'O prazo de 90 dias para devolver este Pix terminou.';
const ended = 'Esta devolução terminou e não pode ser pedida de novo. Peça uma nova.';
const faults = (named: Record<string, unknown> = {}) => system.bank('/bank/faults', named);
const detail = async (id: string) => (await admin(`/admin/payments/${id}`)).body;
const page = async (id: string) => (await person.get(`/panel/payments/${id}`)).text;
const order = (id: string, amount?: number) => admin(`/admin/payments/${id}/refunds`, { body: { amount } });
const retry = (id: string, refundId: string) =>
  admin(`/admin/payments/${id}/refunds/${refundId}/retry`, { body: {} });

async function approved() {
  const body = await system.sell(store, { amount: 100 });
  return { id: body.id as string, endToEndId: body.endToEndId as string };
}

/** Dates a Pix in the books, so that it was paid so many days ago. */
async function date(endToEndId: string, days: number) {
  const paidAt = new Date(Date.now() - days * 24 * 60 * 60_000);
  await db.updateTable('pixReceived').set({ paidAt }).where('endToEndId', '=', endToEndId).execute();
}

const failed = (id: string) =>
  eventually('a failed refund', async () => {
    const { refunds } = await detail(id);
    return refunds.find(({ state, origin }) => state === 'failed' && origin === 'service');
  });

t.test('after the 90th day an order is a 409 at once, and the panel says so', async (t) => {
  const { id, endToEndId } = await approved();
  await date(endToEndId, 91);
  for (const amount of [undefined, 30, 1_000]) isError(t, await order(id, amount), 409, over);
  t.strictSame((await detail(id)).refunds, []);
  t.match(await page(id), `<p class="muted">${over}</p>`);
  t.notMatch(await page(id), 'Valor a devolver');
  for (const key of ['', '0190a5b0-0000-7000-8000-000000000000']) {
    const posted = await person.post(`/panel/payments/${id}/refunds`, { amount: '30', key });
    t.equal(posted.status, 409);
    t.match(posted.text, `Nenhuma devolução foi pedida. ${over}`);
  }
  await date(endToEndId, 90);
  t.equal((await order(id, 30)).status, 202, 'on the 90th day it is ordered');
});

t.test('a refused refund can be retried no more after it, and is given up', async (t) => {
  const { id, endToEndId } = await approved();
  await faults({ refuseRefunds: true });
  await order(id, 30);
  const refused = await failed(id);
  await faults();
  t.match(await page(id), `/refunds/${refused.id}/retry`);
  await date(endToEndId, 91);
  isError(t, await retry(id, refused.id), 409, over);
  const text = await page(id);
  t.notMatch(text, `/refunds/${refused.id}/retry`);
  t.match(text, `/refunds/${refused.id}/withdraw`);
  const given = await person.post(`/panel/payments/${id}/refunds/${refused.id}/withdraw`, {
    reason: 'por fora',
  });
  t.equal(given.status, 303);
  isError(t, await retry(id, refused.id), 409, ended);
});

t.test('what the service itself would give back is owed at once, with the reason', async (t) => {
  const body = await system.sell(store, { amount: 100 }, { valor: '70.00', until: 'review' });
  await date(body.endToEndId, 91);
  await admin(`/admin/payments/${body.id}/status`, { body: { status: 'not_approved' } });
  const { refunds } = await detail(body.id);
  const owed = { state: 'failed', reason: 'rejected', amount: 70, isOwed: true, owedAmount: 70, tries: 0 };
  t.match(refunds, { length: 1, 0: { ...owed, orderAgainAt: null, lastError: over } });
  const text = await page(body.id);
  t.match(text, `<strong>Devolução devida: <span class="money">R$ 70,00</span>.</strong> ${over}`);
  t.notMatch(text, 'Peça de novo');
  t.notMatch(text, `Banco: ${over}`);
  t.notMatch((await person.get('/panel/refunds?show=owed')).text, 'Devida: peça de novo');
  isError(t, await retry(body.id, refunds[0]!.id), 409, over);
});

t.test('a Pix without a payment: a 409 at once', async (t) => {
  const endToEndId = 'E00000000202611251200windowover';
  const at = new Date(Date.now() - 91 * 24 * 60 * 60_000);
  const row = {
    endToEndId,
    bank: 'default',
    paymentId: null,
    txid: null,
    amount: 4_200,
    effect: 'unmatched',
  };
  await db
    .insertInto('pixReceived')
    .values({ ...row, unmatched: 'no_payment', paidAt: at, receivedAt: at })
    .execute();
  isError(t, await admin(`/admin/unmatched-pix/${endToEndId}/refund`, { body: {} }), 409, over);
  const text = (await person.get('/panel/unmatched-pix')).text;
  t.match(text, `<p class="muted">${over}</p>`);
  t.notMatch(text, `/panel/unmatched-pix/${endToEndId}/refund`);
});

t.test('a named amount that fits no more has failed for good, and the panel says why', async (t) => {
  const { id, endToEndId } = await approved();
  // Neither a callback nor a list tells of the return before the order.
  await faults({ dropCallbacks: true, status: 503, only: ['listPix'] });
  await system.bank('/bank/refunds', { endToEndId, valor: '50.00' });
  t.match(await order(id, 60), { status: 202, body: { amount: 60, state: 'requested' } });
  const refund = await failed(id);
  await faults();
  const words = 'O valor é maior do que o que resta a devolver deste pagamento.';
  t.match(refund, { amount: 60, lastError: words, orderAgainAt: null, isOwed: false, owedAmount: null });
  t.match(await detail(id), { status: 'approved', amount: 50 });
  const text = await page(id);
  t.match(text, words);
  t.notMatch(text, `Banco: ${words}`);
  t.match(text, 'Não será pedida de novo.');
  t.notMatch(text, `/refunds/${refund.id}/retry`);
  isError(t, await retry(id, refund.id), 409, ended);
  t.match(await admin(`/admin/payments/${id}/status`, { body: { status: 'paid' } }), { status: 200 });
});

t.test('all that is left, as the panel showed it: another amount is asked again', async (t) => {
  const { id, endToEndId } = await approved();
  const asked = await person.post(`/panel/payments/${id}/refunds`, {});
  const fields = [
    ...asked.text.matchAll(/<input type="hidden" name="(key|amount|shown|reason)" value="([^"]*)"/g),
  ];
  const form = Object.fromEntries(fields.map(([, name, value]) => [name, value]));
  t.match(form, { amount: '', shown: '100' });
  await system.bank('/bank/refunds', { endToEndId, valor: '50.00' });
  await eventually('the return', async () => ((await detail(id)).amount === 50 ? true : undefined));
  const late = await person.post(`/panel/payments/${id}/refunds`, form);
  t.equal(late.status, 409);
  t.match(late.text, 'O valor que resta a devolver mudou. Confira e peça de novo.');
  t.equal((await detail(id)).refunds.length, 1, 'nothing is ordered');
});
