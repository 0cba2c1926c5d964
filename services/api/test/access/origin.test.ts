import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient } from '../administration/panel-client.ts';
import { newPerson, password } from '../administration/panel-people.ts';

/** The record says who it was, never who they say they are, and from where. */
const now = new Date();
const system = await startSystem({ dispatcher: false, now: () => now, env: { TRUST_PROXY: '127.0.0.1' } });
t.teardown(system.stop);
const { admin, adminUrl, db } = system;
const browser = 'Mozilla/5.0 (X11; Linux) Firefox/145.0';
const from = (address: string) => ({ 'x-forwarded-for': address, 'user-agent': browser });
const newest = async (action: string, count = 1) =>
  eventually(`${count} of ${action}`, async () => {
    const { items } = (await admin('/admin/changes?limit=200')).body;
    const found = items.filter((item: { action: string }) => item.action === action);
    return found.length >= count ? found : undefined;
  });

t.test('with the administration key, a typed name is a remark and no author', async (t) => {
  const person = panelClient(adminUrl, from('198.51.100.1'));
  const fields = { key: 'test-admin-key', name: 'Alice alice@loja.example' };
  t.equal((await person.post('/panel/sign-in', fields, '/panel/sign-in')).status, 303);
  t.match((await newest('admin_key.used'))[0], {
    author: 'ADMIN_KEY',
    authorId: null,
    reason: 'Alice [e-mail]',
    address: '198.51.100.1',
    browser,
    hash: /^[0-9a-f]{64}$/,
  });
  await admin('/admin/stores', { body: { name: 'Loja' } });
  await person.get('/panel/payments.csv');
  t.match((await newest('export.made'))[0], { author: 'ADMIN_KEY', via: 'panel', reason: null });
  const { text } = await person.get('/panel/changes');
  t.match(text, /class="author">ADMIN_KEY<\/span>/);
  t.notMatch(text, /class="author">Alice/);
  t.match(text, '198.51.100.1');
  t.match(text, 'Firefox/145.0');
});

t.test('sign-ins, and what is made, shown and refused, with address and browser', async (t) => {
  const there = { address: '198.51.100.2', browser };
  const ana = await newPerson(system, { role: 'owner' }, from(there.address));
  t.match((await newest('sign_in'))[0], { ...there, author: /Pessoa/, subject: ana.id });
  const { body: store } = await admin('/admin/stores', {
    body: { name: 'Loja' },
    headers: { 'x-forwarded-for': '203.0.113.9', 'user-agent': `curl/8 ${'x'.repeat(500)} ana@loja.example` },
  });
  const [created] = await newest('store.created', 2);
  t.match(created, { storeId: store.id, address: '203.0.113.9' });
  t.equal(created.browser.length, 200);
  await ana.post(`/panel/stores/${store.id}/webhook-secret`, {}, `/panel/stores/${store.id}/store`);
  const viewer = await newPerson(system, { role: 'viewer' }, from('198.51.100.3'));
  t.equal((await viewer.get('/panel/changes')).status, 403);
  t.match((await newest('operation.refused'))[0], { address: '198.51.100.3', browser, author: /Pessoa/ });
});

t.test('refused sign-ins: of a person, of an unknown e-mail, with a wrong key', async (t) => {
  const bia = await newPerson(system, { role: 'owner' }, from('198.51.100.4'));
  const before = await db.selectFrom('changes').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow();
  const refused = () =>
    db
      .selectFrom('changes')
      .selectAll()
      .where('action', '=', 'sign_in_refused')
      .where('id', '>', before.id)
      .orderBy('id')
      .execute();
  const until = (count: number) =>
    eventually(`${count} refusals`, async () => {
      const found = await refused();
      return found.length >= count ? found : undefined;
    });
  await panelClient(adminUrl, from('203.0.113.1')).signInAs(bia.email, 'errada e comprida');
  await until(1);
  await panelClient(adminUrl, from('203.0.113.2')).signInAs('ninguem@loja.example', password);
  await until(2);
  await panelClient(adminUrl, from('203.0.113.3')).signIn('wrong-key');
  const found = await until(3);
  t.match(found, [
    { subject: bia.id, address: '203.0.113.1', browser, author: null, after: { cause: 'password' } },
    { subject: null, address: '203.0.113.2', browser, author: null, after: { cause: 'no_account' } },
    { subject: null, address: '203.0.113.3', browser, author: null, after: { cause: 'admin_key' } },
  ]);
  t.notMatch(JSON.stringify(found), /ninguem/, 'and nobody’s e-mail');
});
