import { isStoreRole, may, type Operation, type Role, roles } from '@payments/domain/roles';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { listenerWith, watchRoutes } from './registered-routes.ts';

/** Every route of the administration with every role, and a store's roles with another store's ids (Contract: roles). */
const routesOf = watchRoutes();
const system = await startSystem();
t.teardown(system.stop);
const { admin, createStore, bank } = system;
const routes = listenerWith(routesOf(), '/admin/stores').filter(
  ({ url, method }) => url.startsWith('/admin/') && method !== 'HEAD',
);

const secret = 'segredo-da-outra-loja';
const [own, other] = [await createStore({ name: 'Própria' }), await createStore({ name: secret })];
const charge = async (store: string, observation: string) =>
  (
    await admin(`/admin/stores/${store}/payments`, {
      body: { amount: 10, observation, email: `${observation}@a.br` },
    })
  ).body;
const theirs = await charge(other.id, secret);
await charge(own.id, 'meu');
await bank('/bank/pay', { pixCopiaECola: theirs.qrCopyPaste });
await eventually(10_000, 'the payment to be approved', async () => {
  const { body } = await admin(`/admin/payments/${theirs.id}`);
  return body.status === 'approved' || undefined;
});
const { body: refund } = await admin(`/admin/payments/${theirs.id}/refunds`, { body: { amount: 1 } });
const { body: detail } = await admin(`/admin/payments/${theirs.id}`);

const keyOf = async (role: Role) => {
  const storeId = isStoreRole(role) ? own.id : undefined;
  const { body } = await admin('/admin/keys', { body: { name: role, role, storeId } });
  return body.key as string;
};
const keys = new Map<Role, string>();
for (const role of roles) keys.set(role, await keyOf(role));

const nobody = '0190a5b0-0000-7000-8000-000000000000';
/** The path with the ids of the other store's things. */
function foreign(url: string): string {
  const id = /stores/.test(url) ? other.id : /payments/.test(url) ? theirs.id : nobody;
  return url
    .replace(':id', id)
    .replace(':refundId', refund.id)
    .replace(':endToEndId', detail.pix[0].endToEndId)
    .replace(/:\w+/g, nobody);
}

t.test('every route names its operation', async (t) => {
  t.ok(routes.length > 40);
  t.strictSame(
    routes.filter(({ may: operation }) => operation === undefined).map(({ url }) => url),
    [],
  );
});

for (const { method, url, may: operation } of routes) {
  t.test(`${method} ${url}`, async (t) => {
    for (const [role, token] of keys) {
      // A wrong body changes nothing: whoever may do it gets a 400, a 404 or a 409.
      const isRead = method === 'GET';
      const query = isRead && /reconciliation/.test(url) ? '?date=2026-01-01' : '';
      if (!isRead && may(role, operation as Operation) && !isStoreRole(role)) continue;
      const path = foreign(url) + query;
      const answer = await admin(path, {
        method,
        token,
        ...(isRead ? {} : { body: { amount: 10, status: 'paid' } }),
      });
      const allowed = may(role, operation as Operation);
      t.equal(answer.status === 403, !allowed, `${role}: ${answer.status}`);
      if (!isStoreRole(role)) continue;
      t.notOk(JSON.stringify(answer.body).includes(secret), `${role} sees nothing of another store`);
      if (url.includes(':') && allowed) t.equal(answer.status, 404, `${role}: as an unknown id`);
    }
  });
}

t.test('filters by another store find what an unknown store’s find', async (t) => {
  for (const role of roles.filter(isStoreRole)) {
    const token = keys.get(role) as string;
    for (const path of ['payments', 'deliveries', 'refunds', 'reviews', 'totals']) {
      const read = async (query: string) => (await admin(`/admin/${path}${query}`, { token })).body;
      t.strictSame(await read(`?storeId=${other.id}`), await read(`?storeId=${nobody}`), path);
      t.notOk(JSON.stringify(await read('')).includes(secret));
    }
    t.match((await admin('/admin/stores', { token })).body.items, [{ id: own.id }]);
    t.equal((await admin('/admin/stores', { token })).body.items.length, 1);
    t.equal((await admin('/admin/payments', { token })).body.total, 1, 'and counts only its own');
    t.equal((await admin(`/admin/payments?q=${secret}`, { token })).body.total, 0);
  }
});

t.test('redelivering many touches the own store alone', async (t) => {
  const token = keys.get('store_admin') as string;
  const body = { state: 'delivered', storeId: other.id };
  t.strictSame((await admin('/admin/deliveries/redeliver', { token, body })).body, { redelivered: 0 });
});

t.test('a store’s administrator does what is theirs', async (t) => {
  const token = keys.get('store_admin') as string;
  const made = await admin(`/admin/stores/${own.id}/payments`, { token, body: { amount: 20 } });
  t.equal(made.status, 200);
  t.equal((await admin(`/admin/stores/${own.id}/tokens`, { token, body: {} })).status, 201);
  t.equal((await admin(`/admin/payments/${made.body.id}`, { token })).status, 200);
  t.equal((await admin(`/admin/payments/${made.body.id}/refunds`, { token, body: {} })).status, 409);
  const { body: changes } = await admin(`/admin/stores/${own.id}/changes`, { token });
  t.match(changes.items[0], { action: 'token.created', author: 'store_admin' });
});
