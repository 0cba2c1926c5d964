import { windowMs } from '@payments/database/record/repeated-changes';
import { isStoreRole, may, type Operation, type Role, roles } from '@payments/domain/roles';
import { eventually, startSystem } from '@payments/testing/system';
import pLimit from 'p-limit';
import t from 'tap';
import { listenerWith, watchRoutes } from './registered-routes.ts';

/** Every route of the administration with every role, and a store's roles with another store's ids (Contract: roles). */
const routesOf = watchRoutes();
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { admin, createStore, bank, db } = system;
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
await eventually('the payment to be approved', async () => {
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
    .replace(':endToEndId', detail.pix[0]!.endToEndId)
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

t.test('every refusal is in the record: who, which operation, when, by the API', async (t) => {
  const { body } = await admin('/admin/changes?limit=100');
  t.ok(body.total > 100, 'more than one page');
  const refusals = await db
    .selectFrom('changes')
    .select(['author', 'authorId', 'storeId', 'via', 'after', 'before', 'subject', 'reason'])
    .where('action', '=', 'operation.refused')
    .execute();
  for (const role of roles) {
    const refused = refusals.filter(({ author }) => author === role);
    const forbidden = new Set(routes.map(({ may: operation }) => operation as Operation));
    for (const operation of [...forbidden].filter((one) => !may(role, one))) {
      const routesOf = routes.filter((route) => route.may === operation).length;
      const found = refused.filter(({ after }) => (after as { operation?: string }).operation === operation);
      t.equal(found.length, Math.min(routesOf, 10), `${role}: ${operation}`);
    }
    t.ok(refused.every(({ authorId, via }) => authorId !== null && via === 'api'));
    const store = isStoreRole(role) ? own.id : null;
    t.ok(refused.every(({ storeId }) => storeId === store));
  }
  t.notMatch(JSON.stringify(refusals), other.id, 'and nothing of another store');
  const { body: ofStore } = await admin(`/admin/stores/${own.id}/changes`, {
    token: keys.get('store_admin') as string,
  });
  t.ok(
    ofStore.items.some(({ action }: { action: string }) => action === 'operation.refused'),
    'a store’s are in its own record',
  );
});

t.test('a flood of refusals leaves a few of them in the record', async (t) => {
  const before = (await admin('/admin/changes?limit=1')).body.total;
  const token = await keyOf('viewer');
  await pLimit(20).map(Array.from({ length: 200 }), async () =>
    t.equal((await admin('/admin/keys', { token })).status, 403),
  );
  const { items, total } = (await admin('/admin/changes?limit=50')).body;
  const refusals = items.slice(0, total - before - 1) as { at: string }[];
  // Each ten minutes have ten of their own, and the next ones may begin during the flood.
  const ofWindows = Map.groupBy(refusals, ({ at }) => Math.floor(Date.parse(at) / windowMs));
  const counts = [...ofWindows.values()].map((own) => own.length);
  t.equal(Math.max(...counts), 10, `ten refusals at most, beside the new key: ${counts}`);
  t.match(items[0], {
    action: 'operation.refused',
    to: { operation: 'manageKeys', role: 'viewer' },
    author: 'viewer',
  });
});

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
