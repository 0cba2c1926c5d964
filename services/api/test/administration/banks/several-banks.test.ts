import { dayOf, startOf } from '@payments/domain/days';
import t from 'tap';
import { startTwoBanks } from '../two-banks.ts';

/** The administration of two banks. No scan runs meanwhile: what waits stays. */
const { system, configure } = await startTwoBanks(t, { dispatcher: false });
const { admin } = system;
const items = async () => (await admin('/admin/banks')).body.items;
const pause = (id: string) => admin(`/admin/banks/${id}/pause`, { body: { reason: 'manutenção' } });
const resume = (id: string) => admin(`/admin/banks/${id}/resume`, { method: 'POST' });
const create = async ({ token }: { token: string }) =>
  (await system.api('/api-public/payments', { token, body: { amount: 10 } })).body;
const detail = async (id: string) => (await admin(`/admin/payments/${id}`)).body;
const anywhere = await system.createStore();
const onlyBb = await system.createStore({ banks: ['bb'] });

t.test('a creation goes to the next bank right after a pause, and back right after it ends', async (t) => {
  t.equal((await detail((await create(anywhere)).id)).bank, 'efi');
  t.equal((await pause('efi')).status, 204);
  t.equal((await detail((await create(anywhere)).id)).bank, 'bb');
  t.equal((await resume('efi')).status, 204);
  const [efi] = await items();
  t.match(efi, { id: 'efi', state: 'healthy' });
  const { body } = await admin('/admin/changes?limit=1');
  t.equal(efi.since, body.items[0].at, 'healthy since it was resumed');
  t.equal((await detail((await create(anywhere)).id)).bank, 'efi');
});

t.test('of what waits, a bank shows what could go nowhere else', async (t) => {
  await Promise.all([pause('efi'), pause('bb')]);
  const waiting = await Promise.all([create(anywhere), create(onlyBb)]);
  t.match(await items(), [
    { id: 'efi', waiting: 0 },
    { id: 'bb', waiting: 1 },
  ]);
  await Promise.all([resume('efi'), resume('bb')]);
  await Promise.all(
    waiting.map(({ id }) => admin(`/admin/payments/${id}/status`, { body: { status: 'not_approved' } })),
  );
  t.match(await items(), [{ waiting: 0 }, { waiting: 0 }]);
});

t.test('today is São Paulo’s day', async (t) => {
  const [{ chargesToday, amountToday }] = await items();
  const { id } = await create(anywhere);
  t.match(await items(), [{ chargesToday: chargesToday + 1, amountToday: amountToday + 10 }, {}]);
  const lateYesterday = new Date(startOf(dayOf(new Date())).getTime() - 1);
  await system.db.updateTable('payments').set({ registeredAt: lateYesterday }).where('id', '=', id).execute();
  t.match(await items(), [{ chargesToday, amountToday }, {}]);
});

t.test('lists of payments and refunds name the bank', async (t) => {
  const store = await system.createStore({ banks: ['bb'], reviewAbove: 5 });
  const { id } = await create(store);
  const { items: found } = (await admin(`/admin/payments?storeId=${store.id}`)).body;
  t.match(found, [{ id, bank: 'bb' }]);
  const shown = await system.api(`/api-public/payments/${id}`, { token: store.token });
  t.notOk('bank' in shown.body, 'a store sees no banks');
});

t.test('a store’s list is shown, recorded, and judged by what is configured', async (t) => {
  const path = `/admin/stores/${anywhere.id}`;
  const change = (banks: unknown) => admin(path, { method: 'PATCH', body: { banks } });
  t.match(await change(['bb', 'efi']), { status: 200, body: { banks: ['bb', 'efi'] } });
  t.match((await admin(path)).body, { banks: ['bb', 'efi'] });
  t.equal((await detail((await create(anywhere)).id)).bank, 'bb');
  const { items: changes } = (await admin(`${path}/changes`)).body;
  t.match(changes[0], { action: 'store.changed', from: { banks: null }, to: { banks: ['bb', 'efi'] } });
  for (const [banks, message] of [
    [['bb', 'inter'], 'banks must be one of the following values: efi, bb'],
    [['bb', 'bb'], 'banks must not have the same value twice'],
    [[1], 'banks.0 must be a string'],
    [{ 0: 'bb' }, 'banks must be an array'],
    [[], 'banks should not be empty'],
  ] as const)
    t.match(await change(banks), { status: 400, body: { statusCode: 400, message } });
  t.match(await change(null), { status: 200, body: { banks: null } });
});

t.test('a bank that is configured no more is listed while it has open work', async (t) => {
  const { id } = await create(onlyBb);
  await configure('efi');
  const listed = await items();
  t.match(listed, [{ id: 'efi' }, { id: 'bb', psp: 'bacen', state: 'failing', waiting: 0 }]);
  t.match(listed[1].lastError, 'bb is not configured');
  const waiting = await create(onlyBb);
  t.equal(waiting.qrCopyPaste, null, 'a store’s money goes nowhere else');
  t.match(await items(), [
    { id: 'efi', waiting: 0 },
    { id: 'bb', waiting: 1 },
  ]);
  t.match((await detail(id)).bank, 'bb');
  await configure('efi', 'bb');
  t.match(await items(), [{ id: 'efi' }, { id: 'bb', lastError: null }]);
});
