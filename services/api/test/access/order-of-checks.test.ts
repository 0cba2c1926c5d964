import { startSystem } from '@payments/testing/system';
import t from 'tap';

/** First who, then the role, then the input, then existence; and ids in any case (Contract: roles, ids). */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { admin, createStore } = system;
const own = await createStore({ name: 'Própria' });
const keyOf = async (role: string, storeId?: string) =>
  (await admin('/admin/keys', { body: { name: role, role, storeId } })).body;
const admins = {
  owner: (await keyOf('owner')).key,
  store_admin: (await keyOf('store_admin', own.id)).key,
};
const nobody = '0190a5b0-0000-7000-8000-000000000000';

const badReason = { reason: 'null\0character' };
const past = { expiresAt: '2020-01-01T00:00:00Z' };
type Wrong = {
  path: (id: string) => string;
  body?: object;
  method?: string;
  headers?: Record<string, string>;
};
const wrong: Wrong[] = [
  { path: (id) => `/admin/stores/${id}/tokens`, body: past },
  { path: (id) => `/admin/stores/${id}/tokens`, body: { expiresAt: 'x' } },
  { path: (id) => `/admin/stores/${id}/tokens`, body: badReason },
  { path: (id) => `/admin/stores/${id}/tokens/${id}?reason=%00`, method: 'DELETE' },
  { path: (id) => `/admin/stores/${id}/webhook-secret/rotate`, body: badReason },
  { path: (id) => `/admin/stores/${id}`, body: { events: ['payment.created'] }, method: 'PATCH' },
  { path: (id) => `/admin/stores/${id}/payments`, body: { amount: 1 } },
  { path: (id) => `/admin/stores/${id}/payments`, body: { amount: 10, email: 'x' } },
  { path: (id) => `/admin/stores/${id}/statement?by=year` },
  { path: (id) => `/admin/stores/${id}/changes?page=0` },
  { path: (id) => `/admin/payments/${id}/refunds`, body: { amount: 1.001 } },
  { path: (id) => `/admin/payments/${id}/refunds`, body: badReason },
  {
    path: (id) => `/admin/payments/${id}/refunds`,
    body: {},
    headers: { 'idempotency-key': 'x'.repeat(256) },
  },
  { path: (id) => `/admin/payments/${id}/refunds/${id}/retry`, body: badReason },
  { path: (id) => `/admin/payments/${id}/refunds/${id}/withdraw`, body: badReason },
  { path: (id) => `/admin/deliveries/${id}/redeliver`, body: badReason },
];
const ofPlatform: Wrong[] = [
  { path: (id) => `/admin/stores/${id}`, body: badReason, method: 'PATCH' },
  { path: (id) => `/admin/stores/${id}`, body: { feePercent: 101 }, method: 'PATCH' },
  { path: (id) => `/admin/stores/${id}`, body: { feeFixed: 0.001 }, method: 'PATCH' },
  { path: (id) => `/admin/payments/${id}/status`, body: { status: 'paid', ...badReason } },
  { path: (id) => `/admin/endpoints/${id}/release`, body: badReason },
];

t.test('wrong input for what does not exist is a 400', async (t) => {
  for (const [role, token] of Object.entries(admins)) {
    for (const { path, ...request } of role === 'owner' ? [...wrong, ...ofPlatform] : wrong) {
      for (const id of [nobody, 'none']) {
        const { status } = await admin(path(id), { token, ...request });
        t.equal(status, 400, `${role}: ${path(id)} ${JSON.stringify(request)}`);
      }
    }
  }
});

t.test('an id in upper case is the same id, for a store’s role, too', async (t) => {
  const upper = own.id.toUpperCase();
  for (const [role, token] of Object.entries(admins)) {
    const made = await admin(`/admin/stores/${upper}/payments`, { token, body: { amount: 10 } });
    t.equal(made.status, 200, role);
    for (const path of ['', '/statement', '/tokens', '/webhook-secret', '/changes'])
      t.equal((await admin(`/admin/stores/${upper}${path}`, { token })).status, 200, `${role}: ${path}`);
    for (const path of ['payments', 'totals']) {
      const read = async (id: string) => (await admin(`/admin/${path}?storeId=${id}`, { token })).body;
      t.strictSame(await read(upper), await read(own.id), `${role}: ${path}`);
      t.ok((await read(upper)).items.length > 0);
    }
  }
  t.equal((await keyOf('store_viewer', upper)).storeId, own.id, 'and is shown in lower case');
});
