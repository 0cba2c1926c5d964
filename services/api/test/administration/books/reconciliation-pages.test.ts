import { recordCheckedDay } from '@payments/database/reconciliation/checked-days';
import type { Difference } from '@payments/domain/compare-day';
import { addDays, dayOf, startOf } from '@payments/domain/days';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from '../panel-client.ts';

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
  const body = await system.sell(store, { amount: 42 });
  t.match(await text('/panel/reconciliation'), /não conferido/);
  t.match(await text(path), 'Este dia ainda não foi conferido.');
  t.equal((await person.post(path, {}, path)).status, 303);
  t.match(await text(`${path}?done=day-checked`), /Dia conferido\..*R\$ 42,00.*Nenhuma diferença/s);
  t.match(await text('/panel/reconciliation'), `href="${path}">`);
  t.match(await text('/panel/reconciliation'), '<small>confere</small>');

  const ofPix = system.db.updateTable('pixReceived').where('endToEndId', '=', body.endToEndId);
  await ofPix.set({ amount: 4_100 }).execute();
  await person.post(path, {}, path);
  const day = await text(path);
  for (const words of ['Pix com valores diferentes', 'R$ 42,00', 'R$ 41,00', body.endToEndId])
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

t.test('a look before the day’s end is not shown as agreement about the day', async (t) => {
  const [before, older] = [addDays(today, -1), addDays(today, -2)];
  const figures = { pixCount: 0, pixAmount: 0, refundCount: 0, refundAmount: 0 };
  const others = { count: 0, amount: 0 };
  const cell = async (day: string) => {
    const [, rest = ''] = (await text('/panel/reconciliation')).split(`href="/panel/reconciliation/${day}">`);
    return rest
      .slice(0, rest.indexOf('</a>'))
      .replace(/<[^>]+>|\s+/g, ' ')
      .trim()
      .replace(/ +/g, ' ');
  };
  const looked = { bank: 'default', settled: true, atBank: figures, ours: figures, others };
  const keep = async (day: string, checkedAt: Date, differences: Difference[] = []) => {
    await system.db.deleteFrom('reconciliations').where('day', '=', day).execute();
    await recordCheckedDay(system.db, { ...looked, day, checkedAt, differences }, new Date());
  };
  await keep(today, new Date());
  t.match(await cell(today), /^\d+ confere até agora$/);
  t.match(await text(path), /antes do fim do dia.*Nenhuma diferença até agora/s);
  await keep(before, startOf(before));
  t.match(await cell(before), /^\d+ não conferido$/);
  await keep(older, startOf(before));
  t.match(await cell(older), /^\d+ não conferido$/, 'within the half hour');
  await keep(older, new Date(startOf(before).getTime() + 30 * 60_000));
  t.match(await cell(older), /^\d+ confere$/);
  await keep(older, startOf(older), [{ kind: 'unreadable' }]);
  t.match(await cell(older), /^\d+ 1 diferença$/, 'what was found early is shown');
  await keep(older, startOf(older), Array(501).fill({ kind: 'unreadable' }));
  const long = await text(`/panel/reconciliation/${older}`);
  t.match(long, 'As primeiras 500 de 501.');
  t.equal(long.match(/Pix que não pudemos ler/g)?.length, 500);
});

t.test('what can’t be read is named in words', async (t) => {
  const figures = { pixCount: 0, pixAmount: 0, refundCount: 0, refundAmount: 0 };
  const day = addDays(today, -3);
  const endToEndId = `E${'1'.repeat(31)}`;
  const now = new Date();
  const checked = {
    ...{ bank: 'default', day, checkedAt: now, settled: true, atBank: figures, ours: figures },
    ...{ others: { count: 1, amount: 321 } },
    differences: [
      { kind: 'unreadable' as const },
      { kind: 'refund_unreadable' as const, endToEndId, txid: 'abc' },
    ],
  };
  await recordCheckedDay(system.db, checked, now);
  const page = await text(`/panel/reconciliation/${day}`);
  t.match(page, '1 Pix que não é de cobrança deste serviço: R$ 3,21.');
  for (const words of [
    'Pix que não pudemos ler',
    'sem endToEndId',
    'Devolução que não pudemos ler',
    endToEndId,
  ])
    t.match(page, words);
});
