import { addDays, dayOf } from '@payments/domain/days';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from './panel-client.ts';

/** The panel's calendar of compared days, and a day with its differences. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const store = await system.createStore();
const person = panelClient(system.adminUrl);
await person.post('/panel/sign-in', { key: 'test-admin-key', name: 'Ana' }, '/panel/sign-in');
const today = dayOf(new Date());
const path = `/panel/reconciliation/${today}`;
const text = async (page: string) => (await person.get(page)).text;

t.test('a day is compared on request, and shown in the calendar', async (t) => {
  const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount: 42 } });
  const paid = await system.bank('/bank/pay', { pixCopiaECola: body.qrCopyPaste });
  await system.waitForStatus(store, body.id, 'approved');
  t.match(await text('/panel/reconciliation'), /não conferido/);
  t.match(await text(path), 'Este dia ainda não foi conferido.');
  t.equal((await person.post(path, {}, path)).status, 303);
  t.match(await text(`${path}?done=day-checked`), /Dia conferido\..*R\$ 42,00.*Nenhuma diferença/s);
  t.match(await text('/panel/reconciliation'), `href="${path}">`);
  t.match(await text('/panel/reconciliation'), '<small>confere</small>');

  const ofPix = system.db.updateTable('pixReceived').where('endToEndId', '=', paid.body.endToEndId);
  await ofPix.set({ amount: 4_100 }).execute();
  await person.post(path, {}, path);
  const day = await text(path);
  for (const words of ['Pix com valores diferentes', 'R$ 42,00', 'R$ 41,00', paid.body.endToEndId])
    t.match(day, words);
  t.match(await text('/panel/reconciliation'), '<small>1 diferença</small>');
});

t.test('a bank that can’t be asked is named; nothing is forgotten', async (t) => {
  await system.bank('/bank/faults', { status: 503, only: ['listPix'] });
  const answer = await person.post(path, {}, path);
  t.equal(answer.status, 503);
  t.match(answer.text, 'O banco não pode ser consultado agora: default.');
  t.match(answer.text, 'Pix com valores diferentes');
  await system.bank('/bank/faults', {});
});

t.test('no day, and a day to come', async (t) => {
  for (const day of ['2026-02-30', 'x', addDays(today, 1)])
    t.equal((await person.get(`/panel/reconciliation/${day}`)).status, 404, day);
});
