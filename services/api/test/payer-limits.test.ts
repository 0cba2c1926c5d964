import { startSystem, type TestStore, type TestSystem } from '@payments/testing/system';
import t from 'tap';

/** Payers' pages are limited by address, so that floods of them do not slow stores down. */
const create = async (system: TestSystem, { token }: TestStore) =>
  (await system.api('/api-public/payments', { token, body: { amount: 10 } })).body;

t.test('an address may open so many pages; what it opens above gets a page that says so', async (t) => {
  const system = await startSystem({
    dispatcher: false,
    env: { PAYER_PAGES_PER_MINUTE: '3', TRUST_PROXY: '1' },
  });
  t.teardown(system.stop);
  const { id } = await create(system, await system.createStore());
  const open = (path: string, address = '203.0.113.1') =>
    system.api(`/pay/${path}`, { headers: { 'x-forwarded-for': address } });
  const unknown = '0190a5b0-0000-7000-8000-000000000000';
  for (const path of [id, unknown, id]) await open(path);
  for (const path of [id, unknown, `${id}/events`]) {
    const { status, text, headers } = await open(path);
    t.equal(status, 429, path);
    t.match(text, '<h1>Muitos acessos agora</h1>');
    const seconds = Number(headers.get('retry-after'));
    t.ok(seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`);
  }
  t.equal((await open('x')).status, 404, 'what is no id costs nothing');
  t.equal((await open('assets/pay.css')).status, 200);
  t.equal((await open(id, '203.0.113.2')).status, 200, 'another address');
});

t.test('a failure is a page without internals', async (t) => {
  const system = await startSystem({ dispatcher: false });
  t.teardown(system.stop);
  const { id } = await create(system, await system.createStore());
  await system.db.schema.alterTable('payments').renameTo('payments_away').execute();
  const { status, text } = await system.api(`/pay/${id}`);
  t.equal(status, 500);
  t.match(text, '<h1>Página indisponível no momento</h1>');
  t.notMatch(text, /relation|payments_away|select/);
});
