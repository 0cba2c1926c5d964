import { lockTable, untilAnswered, untilWaiting } from '@payments/testing/pause';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { panelClient, tokenIn } from '../../administration/panel-client.ts';
import { newPerson, password } from '../../administration/panel-people.ts';

/** Wrong sign-ins by the hundred cost others nothing, and leave little (Design: Bounds). */
let now = new Date('2026-11-23T12:00:00Z');
const system = await startSystem({
  dispatcher: false,
  now: () => now,
  env: { TRUST_PROXY: '127.0.0.1', DATABASE_POOL_SIZE: '10' },
});
t.teardown(system.stop);
const { adminUrl, api, createStore, db, env } = system;
const databaseUrl = env.DATABASE_URL!;
const { token } = await createStore();
const wrong = 'uma frase que não é a dela';
const office = '203.0.113.50';
const from = (address: string) => panelClient(adminUrl, { 'x-forwarded-for': address });
const rows = async () => (await db.selectFrom('signInFailures').select('key').execute()).length;
/** @returns a browser that has the form, and posts it at once */
async function opened(address: string, browser = from(address)) {
  const form = (await browser.get('/panel/sign-in')).text;
  const page = /name="_csrf" value="([^"]+)"/.exec(form)?.[1] ?? '';
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return (email: string, given: string) =>
    fetch(`${adminUrl}/panel/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, 'x-forwarded-for': address },
      body: new URLSearchParams({ _csrf: page, email, password: given }),
    });
}

t.test('hundreds at once of one address: one of them at the database, sales and others go on', async (t) => {
  const neighbour = await newPerson(system, { role: 'owner' }, { 'x-forwarded-for': office });
  const elsewhere = await newPerson(system, { role: 'owner' }, { 'x-forwarded-for': '198.51.100.7' });
  await neighbour.post('/panel/sign-out');
  const before = await rows();
  const post = await opened(office);
  const lock = await lockTable(databaseUrl, 'sign_in_failures');
  const asked = Array.from({ length: 300 }, (_, index) => post(`n${index}@loja.example`, wrong));
  const first = await Promise.race(asked);
  t.equal(first.status, 429, 'what is refused waits for nothing');
  t.equal(first.headers.get('retry-after'), '1');
  await untilWaiting(databaseUrl, 1);
  t.equal((await api('/api-public/payments', { token, body: { amount: 10 } })).status, 200);
  t.equal((await elsewhere.get('/panel')).status, 200);
  t.equal(await lock.waiters(), 1);
  await untilAnswered(asked, 250);
  await lock.end();
  const statuses = Map.groupBy(await Promise.all(asked), ({ status }) => status);
  t.strictSame([statuses.get(401)?.length, statuses.get(429)?.length], [50, 250]);
  t.equal((await post('other@loja.example', wrong)).status, 429);
  t.equal(await rows(), before + 51, 'a row of each judged e-mail, and the address’s');
  t.equal(
    (await (await opened(office, neighbour))(neighbour.email, password)).status,
    303,
    'the neighbour gets in',
  );
});

t.test('passkeys at once of one address: one of them at the database', async (t) => {
  const step = '/panel/sign-in/passkey';
  const browser = from('203.0.113.53');
  const { text } = await browser.get(step);
  const [, sealed = ''] = /name="sealed" value="([\w-]+)"/.exec(text) ?? [];
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  const body = new URLSearchParams({ _csrf: tokenIn(text), sealed, answer: '{"id":"nobody’s"}' });
  const headers = { cookie, 'x-forwarded-for': '203.0.113.53' };
  const lock = await lockTable(databaseUrl, 'passkeys');
  const asked = Array.from({ length: 60 }, () => fetch(adminUrl + step, { method: 'POST', headers, body }));
  const first = await Promise.race(asked);
  t.equal(first.status, 429);
  t.equal(first.headers.get('retry-after'), '1');
  t.match(await first.text(), 'Muitas tentativas. Tente de novo em 1 segundo.');
  await untilAnswered(asked, 10);
  await untilWaiting(databaseUrl, 1);
  t.equal(await lock.waiters(), 1);
  await lock.end();
  const statuses = Map.groupBy(await Promise.all(asked), ({ status }) => status);
  t.strictSame([statuses.get(401)?.length, statuses.get(429)?.length], [50, 10]);
});

t.test('while an address floods, another’s try is judged', async (t) => {
  const post = await opened('203.0.113.51');
  const lock = await lockTable(databaseUrl, 'sign_in_failures');
  const flood = Array.from({ length: 100 }, (_, index) => post(`m${index}@loja.example`, wrong));
  await Promise.race(flood);
  const other = (await opened('203.0.113.52'))('o@loja.example', wrong);
  await untilWaiting(databaseUrl, 2);
  t.equal(await lock.waiters(), 2);
  await lock.end();
  t.equal((await other).status, 401);
  await Promise.all(flood);
});

t.test('a stranger with many addresses takes no turn of browsers that signed in before', async (t) => {
  const known = await newPerson(system, { role: 'owner' }, { 'x-forwarded-for': '203.0.113.60' });
  await known.post('/panel/sign-out');
  const knownPost = await opened('203.0.113.60', known);
  const addresses = Array.from({ length: 9 }, (_, index) => `198.51.100.${index + 20}`);
  const posts = await Promise.all(
    addresses.map(async (address) => {
      const browser = from(address);
      await browser.get('/panel/sign-in');
      // It is signed, too.
      browser.cookies.set('panel_browser', browser.cookies.get('panel_csrf') ?? '');
      return opened(address, browser);
    }),
  );
  const stranger = await opened('198.51.100.99');
  const lock = await lockTable(databaseUrl, 'sign_in_failures');
  const flood = posts.flatMap((post, address) =>
    Array.from({ length: 50 }, (_, index) => post(`s${address}.${index}@loja.example`, wrong)),
  );
  t.equal((await Promise.race(flood)).status, 429, 'no more of them may wait');
  await untilWaiting(databaseUrl, 4);
  const signIn = knownPost(known.email, password);
  t.equal((await stranger('x@loja.example', wrong)).status, 429);
  await lock.end();
  t.equal((await signIn).status, 303);
  await Promise.all(flood);
});

t.test('a dispatcher removes what counts no more', async (t) => {
  t.not(await rows(), 0);
  now = new Date(now.getTime() + 3_600_000);
  const dispatcher = await system.startDispatcher();
  t.teardown(() => dispatcher.close());
  await eventually('no failures to be left', async () => (await rows()) === 0 || undefined);
});
