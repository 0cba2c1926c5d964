import { recordCheckedDay } from '@payments/database/reconciliation/checked-days';
import { addDays, dayOf, startOf } from '@payments/domain/days';
import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from '../panel-client.ts';
import { startTwoBanks } from '../two-banks.ts';

/** The conciliação of two banks: each by itself, and all together. */
const { system, bank } = await startTwoBanks(t, { dispatcher: false });
const today = dayOf(new Date());
const compare = async (id?: string) =>
  system.admin(`/admin/reconciliation?date=${today}${id ? `&bank=${id}` : ''}`);
const figures = (pixCount: number, pixAmount: number) => ({ pixCount, pixAmount });

async function paidAt(id: 'efi' | 'bb', amount: number): Promise<string> {
  const store = await system.createStore({ banks: [id] });
  const { body } = await system.api('/api-public/payments', { token: store.token, body: { amount } });
  const { endToEndId } = (await bank(id, '/bank/pay', { pixCopiaECola: body.qrCopyPaste })).body;
  await system.waitForStatus(store, body.id, 'approved');
  return endToEndId;
}

t.test('each bank’s day by itself, and both together', async (t) => {
  await paidAt('efi', 10);
  await paidAt('bb', 20);
  await paidAt('bb', 30);
  for (const [id, expected] of [
    ['efi', figures(1, 10)],
    ['bb', figures(2, 50)],
    [undefined, figures(3, 60)],
  ] as const)
    t.match((await compare(id)).body, { bank: expected, ours: expected, differences: [] }, id ?? 'all');
});

t.test('a Pix that stands at the wrong bank here is missing at both', async (t) => {
  const endToEndId = await paidAt('efi', 15);
  const ofPix = system.db.updateTable('pixReceived').where('endToEndId', '=', endToEndId);
  await ofPix.set({ bank: 'bb' }).execute();
  t.match((await compare('efi')).body.differences, [{ kind: 'missing_here', endToEndId, bankAmount: 15 }]);
  t.match((await compare('bb')).body.differences, [{ kind: 'missing_at_bank', endToEndId, ourAmount: 15 }]);
  t.equal((await compare()).body.differences.length, 2);
  await ofPix.set({ bank: 'efi' }).execute();
});

t.test('the bank that can’t be asked is named; the other one can be compared', async (t) => {
  await bank('bb', '/bank/faults', { status: 503, only: ['listPix'] });
  t.match(await compare(), { status: 503, body: { message: 'O banco não pode ser consultado agora: bb.' } });
  t.match((await compare('efi')).body, { differences: [] });
  await bank('bb', '/bank/faults', {});
});

t.test('a bank that is configured no more is named, for days on which it had money', async (t) => {
  const endToEndId = await paidAt('efi', 25);
  const ofPix = system.db.updateTable('pixReceived').where('endToEndId', '=', endToEndId);
  await system.db.insertInto('banks').values({ id: 'sold', psp: 'efi', knownSince: new Date() }).execute();
  t.equal((await compare()).status, 200, 'a day without it');
  await ofPix.set({ bank: 'sold' }).execute();
  t.match(await compare(), {
    status: 503,
    body: { message: 'O banco não pode ser consultado agora: sold.' },
  });
  t.equal((await compare('bb')).status, 200);
  await ofPix.set({ bank: 'efi' }).execute();
});

t.test(
  'lists and sums of a bank that is configured no more are still found; one that never was is refused',
  async (t) => {
    const endToEndId = await paidAt('efi', 35);
    const { paymentId } = await system.db
      .updateTable('pixReceived')
      .set({ bank: 'sold' })
      .where('endToEndId', '=', endToEndId)
      .returning('paymentId')
      .executeTakeFirstOrThrow();
    await system.db.updateTable('payments').set({ bank: 'sold' }).where('id', '=', paymentId!).execute();
    t.match((await system.admin('/admin/payments?bank=sold')).body, { total: 1, items: [{ id: paymentId }] });
    t.match((await system.admin(`/admin/totals?bank=sold&from=${today}`)).body, {
      items: [{ approvedAmount: 35 }],
    });
    t.match((await system.admin('/admin/refunds?bank=sold')).body, { total: 0 });
    for (const list of ['payments', 'totals', 'refunds'])
      t.match(await system.admin(`/admin/${list}?bank=never`), {
        status: 400,
        body: { message: 'bank must be one of the following values: bb, efi, sold' },
      });
  },
);

t.test('a role of a store learns no bank’s name from a refused filter', async (t) => {
  const store = await system.createStore();
  const created = await system.admin('/admin/keys', {
    body: { name: 'Caixa', role: 'store_admin', storeId: store.id },
  });
  const { key } = created.body;
  for (const list of ['payments', 'totals', 'refunds', 'payments.csv', 'refunds.csv'])
    t.match(
      await system.admin(`/admin/${list}?bank=never`, { token: key }),
      { status: 400, body: { message: 'bank must be a known value' } },
      list,
    );
  t.equal((await system.admin('/admin/payments?bank=efi', { token: key })).status, 200);
});

/** Keeps a check of a bank's whole day that found nothing on either side. */
function keep(id: string, day: string) {
  const none = { pixCount: 0, pixAmount: 0, refundCount: 0, refundAmount: 0 };
  const checkedAt = startOf(addDays(day, 2));
  const found = { atBank: none, ours: none, others: { count: 0, amount: 0 }, differences: [] };
  return recordCheckedDay(system.db, { bank: id, day, checkedAt, settled: true, ...found }, checkedAt);
}

t.test('a day that one bank was not asked for is not compared, and the bank is named', async (t) => {
  const day = addDays(today, -2);
  await system.db
    .updateTable('banks')
    .set({ knownSince: startOf(addDays(today, -9)) })
    .execute();
  const person = panelClient(system.adminUrl);
  await person.signIn();
  const days = async (of = '') =>
    (await system.admin(`/admin/reconciliation?from=${day}&to=${day}${of}`)).body.items;
  await keep('efi', day);
  t.match(await days(), [{ date: day, differences: 0, isFinal: false }]);
  t.match(await days('&bank=efi'), [{ isFinal: true }]);
  const page = async () => (await person.get(`/panel/reconciliation/${day}`)).text;
  t.match(await page(), /sem bb: o serviço tenta de novo.*Nenhuma diferença até agora.*Falta conferir bb\./s);
  await keep('bb', day);
  t.match(await days(), [{ date: day, differences: 0, isFinal: true }]);
  t.match(await page(), 'O banco e o serviço dizem o mesmo, até o centavo.');
});

t.test('a day with money of a bank that is configured no more is not compared without it', async (t) => {
  const day = addDays(today, -3);
  const person = panelClient(system.adminUrl);
  await person.signIn();
  const days = async () => (await system.admin(`/admin/reconciliation?from=${day}&to=${day}`)).body.items;
  const page = async () => (await person.get(`/panel/reconciliation/${day}`)).text;
  for (const id of ['efi', 'bb']) await keep(id, day);
  t.match(await days(), [{ isFinal: true }], 'the bank that went had nothing');
  t.match(await page(), 'O banco e o serviço dizem o mesmo, até o centavo.');
  const endToEndId = await paidAt('efi', 45);
  const ofPix = system.db.updateTable('pixReceived').where('endToEndId', '=', endToEndId);
  const lastMoment = new Date(startOf(addDays(day, 1)).getTime() - 1);
  await ofPix.set({ bank: 'sold', paidAt: lastMoment }).execute();
  t.match(await days(), [{ differences: 0, isFinal: false }]);
  t.match(await page(), /sem sold: .*Falta conferir sold\./s);
  await ofPix.set({ paidAt: startOf(addDays(day, 1)) }).execute();
  t.match(await days(), [{ isFinal: true }], 'it had money on the day after');
  await ofPix.set({ paidAt: startOf(day) }).execute();
  t.match(await days(), [{ isFinal: false }]);
  await keep('sold', day);
  t.match(await days(), [{ isFinal: true }], 'compared before it went');
});

t.test('of today, what the bank does not list yet is no difference', async (t) => {
  const behind = await startSystem({ dispatcher: false, env: { PIX_LIST_LAG_SECONDS: '30' } });
  t.teardown(() => behind.stop());
  const store = await behind.createStore();
  const { body } = await behind.api('/api-public/payments', { token: store.token, body: { amount: 10 } });
  await behind.bank('/bank/pay', { pixCopiaECola: body.qrCopyPaste });
  await behind.waitForStatus(store, body.id, 'approved');
  const none = figures(0, 0);
  const day = (await behind.admin(`/admin/reconciliation?date=${today}`)).body;
  t.match(day, { bank: none, ours: none, differences: [] });
});
