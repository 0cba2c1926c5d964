import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { newPerson } from '../panel-people.ts';

/** Exports and searches by e-mail are in the record, without anybody's data. */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { admin, createStore, db } = system;
const store = await createStore();
const email = 'ana.silva@cliente.example';
await admin(`/admin/stores/${store.id}/payments`, { body: { amount: 10, email } });
const owner = await newPerson(system);
const storeAdmin = await newPerson(system, { role: 'store_admin', storeId: store.id });

const records = async () =>
  (
    await db
      .selectFrom('changes')
      .selectAll()
      .where('action', 'in', ['export.made', 'search.by_email', 'search.by_text', 'list.paged'])
      .orderBy('id')
      .execute()
  ).map(({ action, via, after, storeId }) => ({ action, via, to: after, storeId }));
const recordedBy = async (read: () => Promise<unknown>) => {
  const before = (await records()).length;
  await read();
  return (await records()).slice(before);
};

t.test('every export, with its kind and filters', async (t) => {
  const range = 'from=2026-01-01&to=2026-01-31';
  const of = (kind: string, path: string, filters = {}) => [kind, path, filters] as const;
  const cases = [
    of('payments', 'payments.csv', { status: 'approved' }),
    of('deliveries', 'deliveries.csv', { state: 'dead' }),
    of('refunds', 'refunds.csv', { storeId: store.id }),
    of('statement', `stores/${store.id}/statement.csv`),
  ];
  for (const [kind, path, filters] of cases) {
    const query = `${path}?${range}&${new URLSearchParams(filters)}`;
    const to = { kind, ...filters, from: '2026-01-01', to: '2026-01-31' };
    const heads = [() => admin(`/admin/${query}`, { method: 'HEAD' }), () => owner.head(`/panel/${query}`)];
    for (const head of heads)
      t.same(
        await recordedBy(async () => t.equal((await head()).status, 200, query)),
        [],
        'HEAD is no export',
      );
    t.match(await recordedBy(() => admin(`/admin/${query}`)), [{ action: 'export.made', via: 'api', to }]);
    t.match(await recordedBy(() => owner.get(`/panel/${query}`)), [
      { action: 'export.made', via: 'panel', to },
    ]);
  }
  const shown = (await owner.get('/panel/changes')).text;
  t.match(shown, 'de: 01/01/2026, até: 31/01/2026', 'as people here write days');
  t.match(shown, 'loja de testes: não');
  t.equal((await recordedBy(() => admin('/admin/payments.csv?status=nothing'))).length, 0, 'none was made');
  t.equal((await recordedBy(() => admin('/admin/payments'))).length, 0, 'a list is no export');
});

t.test('an export of an unknown form is refused, and is not on record as made', async (t) => {
  const unknown = '00000000-0000-7000-8000-000000000000';
  const files = ['payments', 'deliveries', 'refunds', `stores/${store.id}/statement`];
  for (const file of [...files, `stores/${unknown}/statement`]) {
    const answers: number[] = [];
    const made = await recordedBy(async () => {
      answers.push((await admin(`/admin/${file}.csv?for=word`)).status);
      answers.push((await owner.get(`/panel/${file}.csv?for=word`)).status);
    });
    t.same([answers, made], [[400, 400], []], file);
  }
});

t.test('a store’s export is in the store’s record', async (t) => {
  const [made] = await recordedBy(() => storeAdmin.get('/panel/payments.csv'));
  t.equal(made?.storeId, store.id);
  t.match((await storeAdmin.get(`/panel/stores/${store.id}/changes`)).text, 'tipo: pagamentos');
});

t.test('a search by e-mail: that it happened, and no e-mail', async (t) => {
  const q = encodeURIComponent(email);
  for (const read of [
    () => admin(`/admin/payments?q=${q}`),
    () => owner.get(`/panel/payments?q=${q}`),
    () => admin(`/admin/personal-data?email=${q}`),
  ])
    t.match(await recordedBy(read), [{ action: 'search.by_email', to: null }]);
  t.strictSame(
    (await recordedBy(() => owner.get(`/panel/payments.csv?q=${q}`))).map(({ action }) => action),
    ['search.by_email', 'export.made'],
  );
  const everything = JSON.stringify(await db.selectFrom('changes').selectAll().execute());
  t.notMatch(everything, /ana\.silva/i);
  t.match((await owner.get('/panel/changes')).text, 'Busca por e-mail');
});

t.test('a search by any other text, which may be a part of an e-mail or a name', async (t) => {
  const viewer = await newPerson(system, { role: 'viewer' });
  const [payment] = (await admin('/admin/payments')).body.items;
  for (const q of ['ana.silva', 'pedido-1', 'a'])
    for (const read of [() => admin(`/admin/payments?q=${q}`), () => viewer.get(`/panel/payments?q=${q}`)])
      t.match(await recordedBy(read), [{ action: 'search.by_text', to: null }], q);
  const ids = [payment.id, payment.id.replaceAll('-', ''), 'E00038166201907261559y6j6mt9l0pi', ''];
  for (const q of ids)
    t.strictSame(await recordedBy(() => viewer.get(`/panel/payments?q=${q}`)), [], `whole: ${q}`);
});

t.test('pages beyond the first few: an export by hand', async (t) => {
  const viewer = await newPerson(system, { role: 'viewer' });
  for (const page of [1, 2, 3])
    t.strictSame(await recordedBy(() => viewer.get(`/panel/payments?page=${page}`)), []);
  t.match(await recordedBy(() => viewer.get('/panel/payments?page=4&status=paid')), [
    { action: 'list.paged', via: 'panel', to: { page: 4, status: 'paid' } },
  ]);
  t.match(await recordedBy(() => admin('/admin/payments?page=5&limit=200')), [
    { action: 'list.paged', via: 'api', to: { page: 5, limit: 200 } },
  ]);
});

t.test('the panel tells all of it in Portuguese', async (t) => {
  await admin(`/admin/stores/${store.id}/statement.csv?from=2026-01&to=2026-02&by=month`);
  await admin('/admin/refunds.csv?show=made&bank=default');
  await admin('/admin/erasures', { body: { email } });
  const { text } = await owner.get('/panel/changes');
  const names = [...text.matchAll(/(?:"words">|, )([\w çãõêéíóúáâ-]+): /gi)].map(([, name]) => name);
  t.ok(names.includes('pagamentos') && names.includes('tipo'), names.join());
  for (const english of ['payments', 'by', 'kind', 'from', 'show', 'storeId', 'searched', 'page', 'limit'])
    t.notOk(names.includes(english), english);
});

t.test('what an export does not read is not recorded, whatever it is', async (t) => {
  for (const text of ['123.456.789-09', '12345678909', 'ana']) {
    const query = new URLSearchParams({ show: text, paymentId: text, state: text, q: text, by: 'x' });
    const ofRefunds = new URLSearchParams({ show: text, status: text, paymentId: text });
    for (const path of [`payments.csv?${query}`, `refunds.csv?${ofRefunds}`, `deliveries.csv?show=${text}`])
      for (const read of [() => admin(`/admin/${path}`), () => owner.get(`/panel/${path}`)]) {
        const made = (await recordedBy(read)).filter(({ action }) => action === 'export.made');
        t.equal(made.length, 1, path);
        t.notMatch(JSON.stringify(made), text, path);
      }
  }
});
