import { isStoreRole, may, type Operation, type Role, roles } from '@payments/domain/roles';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { listenerWith, watchRoutes } from '../access/registered-routes.ts';
import { newPerson, type Person } from './panel-people.ts';

/** Every page and form of the panel with every role, and a store's people with another store's ids (Contract: roles). */
const routesOf = watchRoutes();
const system = await startSystem({ env: { WEBHOOK_RETRY_SECONDS: '0.05' } });
t.teardown(system.stop);
const receiver = await startReceiver({ answer: () => ({ status: 500 }) });
t.teardown(receiver.close);
const { admin, createStore, bank } = system;

// Visitors may open these; a person's own account has no store's data.
const open = /^\/panel\/(assets|sign-|forgotten-password$|invitation|second-factor|my-account)/;
const routes = listenerWith(routesOf(), '/panel/stores').filter(
  ({ url, method }) => url.startsWith('/panel') && method !== 'HEAD' && !open.test(url) && !url.includes('*'),
);

const secret = 'segredo-da-outra-loja';
const [own, other] = [await createStore({ name: 'Própria' }), await createStore({ name: secret })];
const charge = async (store: string, observation: string) =>
  (
    await admin(`/admin/stores/${store}/payments`, {
      body: {
        amount: 10,
        observation,
        email: `${observation}@a.br`,
        webhookUrl: `${receiver.url}/${observation}`,
      },
    })
  ).body;
const detailOf = async (id: string) => (await admin(`/admin/payments/${id}`)).body;
const theirs = await charge(other.id, secret);
const mine = await charge(own.id, 'meu');
for (const { qrCopyPaste } of [theirs, mine]) await bank('/bank/pay', { pixCopiaECola: qrCopyPaste });
for (const { id } of [theirs, mine])
  await eventually('a payment to be approved', async () =>
    (await detailOf(id)).status === 'approved' ? true : undefined,
  );
// One of each store in review, and refunds that the bank refuses.
for (const store of [own, other]) {
  const { qrCopyPaste } = await charge(store.id, store === own ? 'analise' : secret);
  await bank('/bank/pay', { pixCopiaECola: qrCopyPaste, valor: '9.00' });
}
await bank('/bank/faults', { refuseRefunds: true });
for (const { id } of [theirs, mine]) await admin(`/admin/payments/${id}/refunds`, { body: { amount: 1 } });
await eventually('refused refunds and dead deliveries', async () => {
  const details = [await detailOf(theirs.id), await detailOf(mine.id)];
  const isReady = details.every(
    ({ refunds, deliveries }) =>
      refunds[0]?.state === 'failed' && deliveries.some(({ state }: { state: string }) => state === 'dead'),
  );
  return isReady || undefined;
});
const detail = await detailOf(theirs.id);
const { items: tokens } = (await admin(`/admin/stores/${other.id}/tokens`)).body;

const people = new Map<Role, Person>();
for (const role of roles)
  people.set(role, await newPerson(system, { role, ...(isStoreRole(role) && { storeId: own.id }) }));
const personOf = (role: Role) => people.get(role) as Person;

const nobody = '0190a5b0-0000-7000-8000-000000000000';

/** The path with the ids of the other store's things. */
function foreign(url: string): string {
  const id = /stores/.test(url) ? other.id : /payments/.test(url) ? theirs.id : nobody;
  const part = /deliveries/.test(url) ? detail.deliveries[0]!.id : detail.refunds[0]!.id;
  return url
    .replace(':id', id)
    .replace(':part', part)
    .replace(':tokenId', tokens[0].id)
    .replace(':endToEndId', detail.pix[0]!.endToEndId)
    .replace(':date', '2026-01-01')
    .replace(/:\w+/g, nobody);
}

const unknown = (url: string) => url.replace(':date', '2026-01-01').replace(/:\w+/g, nobody);

/** A page's content, without its forms' token. */
const said = (text: string) => text.replaceAll(/name="_csrf" value="[^"]*"/g, '');

t.test('every route of the panel names its operation', async (t) => {
  t.ok(routes.length > 45);
  t.strictSame(
    routes.filter(({ may: operation }) => operation === undefined).map(({ url }) => url),
    [],
  );
});

for (const { method, url, may: operation } of routes) {
  const mayUse = (role: Role) => operation === 'anyone' || may(role, operation as Operation);
  t.test(`${method} ${url}`, async (t) => {
    for (const role of roles) {
      const person = personOf(role);
      // A role that may do everything would do it here.
      if (method === 'POST' && mayUse(role) && !isStoreRole(role)) continue;
      const send = (path: string) =>
        method === 'GET' ? person.get(path) : person.post(path, { status: 'paid', amount: '1' });
      const answer = await send(foreign(url));
      t.equal(answer.status === 403, !mayUse(role), `${role}: ${answer.status}`);
      if (answer.status === 403) t.match(answer.text, 'Seu perfil não permite esta página.');
      if (!isStoreRole(role)) continue;
      t.notOk(answer.text.includes(secret), `${role} sees nothing of another store`);
      t.notOk(answer.text.includes(theirs.id), `${role} sees no id of another store`);
      if (!url.includes(':') || !mayUse(role)) continue;
      t.equal(answer.status, 404, role);
      t.equal(said((await send(unknown(url))).text), said(answer.text), 'as an unknown id');
    }
  });
}

t.test('the menu leads only to pages that the role may open', async (t) => {
  for (const role of roles) {
    const person = personOf(role);
    const { text } = await person.get('/panel');
    const head = text.slice(0, text.indexOf('<main'));
    const links = [...head.matchAll(/href="(\/panel[^"]*)"/g)].map(([, href = '']) => href);
    const pages = links.filter((href) => !href.startsWith('/panel/assets'));
    t.ok(pages.length > 6, role);
    for (const page of pages) t.equal((await person.get(page)).status, 200, `${role}: ${page}`);
  }
});

t.test('every refusal is in the record, and its page names it in Portuguese', async (t) => {
  const refusals = await system.db
    .selectFrom('changes')
    .select(['author', 'authorId', 'storeId', 'after'])
    .where('action', '=', 'operation.refused')
    .where('via', '=', 'panel')
    .execute();
  for (const role of roles) {
    const { id } = personOf(role);
    const refused = refusals.filter(({ authorId }) => authorId === id);
    const of = new Set(refused.map(({ after }) => (after as { operation: string }).operation));
    const forbidden = routes
      .map(({ may: operation }) => operation as Operation | 'anyone')
      .filter((operation) => operation !== 'anyone' && !may(role, operation));
    t.strictSame([...of].sort(), [...new Set(forbidden)].sort(), role);
    t.ok(refused.every(({ storeId }) => storeId === (isStoreRole(role) ? own.id : null)));
  }
  await personOf('viewer').get('/panel/keys');
  t.match(
    said((await personOf('owner').get('/panel/changes')).text),
    /Operação recusada pelo perfil.*operação: administrar chaves, perfil: /s,
  );
  const ofStore = said((await personOf('store_admin').get(`/panel/stores/${own.id}/changes`)).text);
  t.match(ofStore, 'Operação recusada pelo perfil');
});

t.test('every link and form on a role’s pages is one that it may use', async (t) => {
  for (const role of roles) {
    const person = personOf(role);
    const followed = new Set<string>();
    const places = ['/panel', '/panel/payments', '/panel/reviews', '/panel/refunds', '/panel/totals'];
    const more = ['/panel/deliveries?state=dead', '/panel/deliveries/endpoints', `/panel/stores/${own.id}`];
    const ofOwn = [
      `/panel/stores/${own.id}/store`,
      `/panel/stores/${own.id}/statement`,
      `/panel/payments/${mine.id}`,
    ];
    for (const place of [...places, ...more, ...ofOwn]) {
      const { text, status } = await person.get(place);
      t.equal(status, 200, `${role}: ${place}`);
      const links = [...text.matchAll(/href="(\/panel[^"#]*)/g)].map(([, href = '']) => href);
      for (const link of links) {
        const path = link.replaceAll('&amp;', '&');
        if (followed.has(path)) continue;
        followed.add(path);
        t.not((await person.get(path)).status, 403, `${role}: ${path} on ${place}`);
      }
      for (const [, action = ''] of text.matchAll(/<form method="post" action="([^"#]+)/g))
        t.ok(mayPost(role, action), `${role}: ${action} on ${place}`);
    }
  }
});

/** Finds the route of a form's address. */
function mayPost(role: Role, action: string): boolean {
  if (action === '/panel/sign-out') return true;
  const fits = routes.filter(
    ({ method, url }) =>
      method === 'POST' && new RegExp(`^${url.replaceAll(/:\w+/g, '[^/]+')}$`).test(action),
  );
  return (
    fits.length > 0 &&
    fits.some(({ may: operation }) => operation === 'anyone' || may(role, operation as Operation))
  );
}

t.test('a store’s people see their own rows, and count nobody else’s', async (t) => {
  for (const role of roles.filter(isStoreRole)) {
    const read = async (path: string) => said((await personOf(role).get(path)).text);
    for (const list of ['payments', 'deliveries', 'refunds', 'reviews', 'totals'])
      t.notMatch(await read(`/panel/${list}`), /Loja<\/th>|Todas as lojas/, `${list}: no column, no filter`);
    for (const list of ['payments', 'deliveries', 'refunds', 'totals']) {
      const [given, none] = [`storeId=${other.id}`, `storeId=${nobody}`];
      const at = async (query: string) =>
        (await read(`/panel/${list}?${query}`)).replaceAll(other.id, '').replaceAll(nobody, '');
      t.equal(await at(given), await at(none), `${list} of another store: as of an unknown one`);
    }
    t.match(await read('/panel/payments?status=approved'), '1 pagamento, no total de');
    t.match(await read('/panel/refunds'), '1 devolução, no total de');
    t.equal((await read('/panel/reviews')).match(/class="card review"/g)?.length, 1);
    t.notMatch(await read(`/panel/payments?q=${secret}`), secret.concat('@'));
  }
});

t.test('a store’s exports have its own rows', async (t) => {
  const person = personOf('store_admin');
  for (const list of ['payments', 'deliveries', 'refunds']) {
    const { status, text } = await person.get(`/panel/${list}.csv`);
    t.equal(status, 200);
    t.match(text, list === 'payments' ? 'meu' : mine.id);
    t.notMatch(text, secret);
    t.notMatch(text, theirs.id);
  }
});

t.test('redelivering many touches the own store alone', async (t) => {
  const person = personOf('store_admin');
  const answer = await person.post('/panel/deliveries/redeliver', { storeId: other.id });
  t.match(answer.headers.get('location') ?? '', /count=0$/);
});

t.test('a store’s administrator does what is theirs', async (t) => {
  const person = personOf('store_admin');
  const tab = `/panel/stores/${own.id}/store`;
  t.match((await person.post(`/panel/stores/${own.id}/tokens`, {}, tab)).text, /pp_[\w-]{43}/);
  const made = await person.post(`/panel/stores/${own.id}/payments`, { amount: '12,00' });
  t.match(made.headers.get('location') ?? '', /^\/panel\/payments\//);
  const refund = { amount: '2,00', key: crypto.randomUUID() };
  t.equal((await person.post(`/panel/payments/${mine.id}/refunds`, refund)).status, 303);
  t.match((await person.get(`/panel/stores/${own.id}/changes`)).text, 'Token gerado');
});
