import t from 'tap';
import { panelClient } from '../panel-client.ts';
import { startTwoBanks } from '../two-banks.ts';

/** The panel's page of the banks, and the banks of a store. */
const { system, configure } = await startTwoBanks(t, { dispatcher: false });
const { admin } = system;
const person = panelClient(system.adminUrl);
await person.post('/panel/sign-in', { key: 'test-admin-key', name: 'Ana' }, '/panel/sign-in');
const page = async (query = '') => (await person.get(`/panel/banks${query}`)).text;
const items = async () => (await admin('/admin/banks')).body.items;
const charge = async (storeId: string) =>
  (await admin(`/admin/stores/${storeId}/payments`, { body: { amount: 12.5 } })).body;

t.test('each bank with its state, and what was charged today', async (t) => {
  const store = await system.createStore();
  const { id } = await charge(store.id);
  const text = await page();
  t.match(text, '<a href="/panel/banks" aria-current="page">Bancos</a>');
  for (const words of ['<strong>efi</strong>', '<strong>bb</strong>', 'Normal', 'R$ 12,50'])
    t.match(text, words);
  t.match((await person.get(`/panel/payments/${id}`)).text, /<dt>Banco<\/dt><dd><span class="wrap">efi/);
});

t.test('a bank is paused with a reason, and resumed', async (t) => {
  const paused = await person.post('/panel/banks/efi/pause', { reason: 'manutenção do banco' });
  t.equal(paused.headers.get('location'), '/panel/banks?done=bank-paused');
  t.match(await items(), [{ id: 'efi', state: 'paused' }, { state: 'healthy' }]);
  t.match((await person.get('/panel')).text, 'Bancos: efi em pausa.', 'the start page says so');
  t.match((await person.get('/panel/attention')).text, 'Bancos: efi em pausa.');
  const text = await page('?done=bank-paused');
  for (const words of ['Banco pausado', 'Pausado', 'manutenção do banco', 'action="/panel/banks/efi/resume"'])
    t.match(text, words);
  t.equal(
    (await person.post('/panel/banks/efi/resume')).headers.get('location'),
    '/panel/banks?done=bank-resumed',
  );
  t.match(await items(), [{ state: 'healthy' }, {}]);
  const { items: changes } = (await admin('/admin/changes?limit=2')).body;
  t.match(changes, [
    { action: 'bank.resumed', author: 'ADMIN_KEY', via: 'panel' },
    { action: 'bank.paused', author: 'ADMIN_KEY', reason: 'manutenção do banco' },
  ]);
  const record = (await person.get('/panel/changes')).text;
  t.match(record, '<a href="/panel/banks">Banco pausado: efi</a>');
  t.match(record, 'manutenção do banco');
});

t.test('without a reason, or for an unknown bank, nothing is paused', async (t) => {
  for (const [reason, message] of [
    ['', 'Não pode ficar em branco.'],
    ['   ', 'Não pode ficar em branco.'],
    ['x'.repeat(2_001), 'Pode ter no máximo 2000 caracteres.'],
  ] as const) {
    const { status, text } = await person.post('/panel/banks/bb/pause', { reason });
    t.equal(status, 400);
    t.match(text, `id="reason-bb-error">${message}`);
    t.match(text, '<details class="confirm" id="pause-bb" open>');
  }
  t.equal((await person.post('/panel/banks/nobody/pause', { reason: 'x' })).status, 404);
  t.equal((await person.post('/panel/banks/nobody/resume')).status, 404);
  t.equal((await person.post('/panel/banks/bb/pause', { reason: 'x', _csrf: 'x' })).status, 403);
  t.match(await items(), [{ state: 'healthy' }, { state: 'healthy' }]);
});

t.test('a store’s banks, in order of preference', async (t) => {
  const created = await person.post('/panel/stores', { name: 'Loja', banks: 'bb, efi' });
  const id = /stores\/([^/]+)\/store/.exec(created.headers.get('location') ?? '')?.[1] ?? '';
  const banks = async () => (await admin(`/admin/stores/${id}`)).body.banks;
  const save = (fields: Record<string, string>) =>
    person.post(`/panel/stores/${id}`, { name: 'Loja', ...fields });
  t.strictSame(await banks(), ['bb', 'efi']);
  t.match((await person.get(`/panel/stores/${id}/store`)).text, 'value="bb, efi"');
  t.match((await person.get(`/panel/stores/${id}`)).text, 'bancos: bb, efi');

  for (const [typed, message] of [
    ['nobody', 'Valor inválido.'],
    ['bb efi bb', 'Informe cada um só uma vez.'],
    [',', 'Não pode ficar em branco.'],
  ] as const) {
    const { status, text } = await save({ banks: typed });
    t.equal(status, 400);
    t.match(text, `id="banks-error">${message}`);
    t.match(text, `value="${typed}"`);
  }
  t.equal((await save({ banks: 'bb' })).status, 303);
  await configure('efi');
  t.equal((await save({ name: 'Outra', banks: 'bb' })).status, 303, 'what did not change is not judged');
  t.match((await admin(`/admin/stores/${id}`)).body, { name: 'Outra', banks: ['bb'] });
  t.equal((await save({ banks: '' })).status, 303);
  t.equal(await banks(), null);
  t.notMatch(
    (await person.get(`/panel/stores/${id}/store`)).text,
    'id="banks"',
    'one bank: nothing to choose',
  );
  t.equal((await save({})).status, 303);
});

t.test('a bank that is configured no more and has open work', async (t) => {
  await configure('efi', 'bb');
  const store = await system.createStore({ banks: ['bb'] });
  await charge(store.id);
  await configure('efi');
  t.match(await page(), 'Este banco não está mais configurado.');
});
