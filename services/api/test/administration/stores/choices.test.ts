import { startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from '../../public/payments/expectations.ts';
import { fieldsOf } from '../panel-client.ts';
import { newPerson } from '../panel-people.ts';

/** A store's own choices: `events`, `tokenMay`, `refundLimitPerDay` (Contract: a store's choices). */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const { admin, db } = system;
const nothing = { events: [], tokenMay: [], refundLimitPerDay: null };
const all = {
  events: ['refund.updated', 'payment.updated'],
  tokenMay: ['refund', 'cancel'],
  refundLimitPerDay: 1_234.56,
};
const newStore = async (fields: object = {}) =>
  (await admin('/admin/stores', { body: { name: 'Padaria', ...fields } })).body;
const keyOf = async (role: string, storeId?: string) =>
  (await admin('/admin/keys', { body: { name: role, role, storeId } })).body.key as string;
const patch = (id: string, body: unknown, token?: string) =>
  admin(`/admin/stores/${id}`, { method: 'PATCH', body, ...(token && { token }) });
const read = async (id: string) => (await admin(`/admin/stores/${id}`)).body;

t.test('nothing by default; set at the creation or later, each alone, and taken back', async (t) => {
  const plain = await newStore();
  t.match(plain, nothing);
  const full = await newStore(all);
  t.match(full, all);
  t.strictSame((await admin('/admin/stores')).body.items.at(-1), full, 'lists show them, too');
  t.match((await patch(plain.id, { tokenMay: ['cancel'] })).body, { ...nothing, tokenMay: ['cancel'] });
  t.match((await patch(plain.id, { refundLimitPerDay: 0 })).body, {
    tokenMay: ['cancel'],
    refundLimitPerDay: 0,
  });
  const nulls = { events: null, tokenMay: null };
  t.match((await patch(full.id, nulls)).body, all, 'null is absent');
  t.match((await patch(full.id, { ...nothing })).body, nothing);
  t.match((await patch(plain.id, { refundLimitPerDay: null, name: 'Outra' })).body, {
    name: 'Outra',
    refundLimitPerDay: null,
  });
});

t.test('the record has what changed, amounts in BRL, and names it in the panel', async (t) => {
  const store = await newStore();
  await patch(store.id, { ...all, reason: 'a pedido' });
  await patch(store.id, { ...all });
  const { items } = (await admin(`/admin/stores/${store.id}/changes`)).body;
  t.equal(items.length, 2, 'equal values are no change');
  t.match(items[0], { action: 'store.changed', from: nothing, to: all, reason: 'a pedido' });
  t.match(items[1], { action: 'store.created', to: nothing });
  const owner = await newPerson(system);
  const page = (await owner.get(`/panel/stores/${store.id}/changes`)).text;
  t.match(page, 'o token pode: devolver, cancelar');
  t.match(page, 'devoluções por dia: R$');
  t.match(page, 'eventos a mais: nada');
});

t.test('a store’s administrator changes these three of its own store, and nothing else', async (t) => {
  const [own, other] = [await newStore({ feePercent: 1 }), await newStore()];
  const key = await keyOf('store_admin', own.id);
  t.match((await patch(own.id, all, key)).body, all);
  t.match((await patch(own.id, { refundLimitPerDay: 5, reason: 'menos' }, key)).body, {
    refundLimitPerDay: 5,
  });
  const { items } = (await admin(`/admin/stores/${own.id}/changes`, { token: key })).body;
  t.match(items[0], { author: 'store_admin', reason: 'menos', from: { refundLimitPerDay: 1_234.56 } });

  const before = await read(own.id);
  const others = {
    ...{ name: 'Minha', active: false, feePercent: 0, feeFixed: null, maxAmount: 9_000, reviewAbove: 1 },
    ...{ banks: null, id: other.id, createdAt: '2026-01-01T00:00:00Z' },
  };
  for (const [name, value] of Object.entries(others)) {
    const refused = 'Seu perfil não permite esta operação.';
    isError(t, await patch(own.id, { events: [], [name]: value }, key), 403, refused);
    isError(t, await patch(other.id, { [name]: null }, key), 403, refused);
    isError(t, await patch(own.id, { events: 'x', [name]: 'x' }, key), 403, refused);
  }
  t.strictSame(await read(own.id), before, 'nothing changed');
  const refusals = await db
    .selectFrom('changes')
    .select('after')
    .where('action', '=', 'operation.refused')
    .where('storeId', '=', own.id)
    .execute();
  t.equal(refusals.length, 10, 'each refusal is counted, ten are written');
  t.match(refusals[0]?.after, { operation: 'changeStores', role: 'store_admin' });

  isError(t, await patch(other.id, { events: [] }, key), 404, 'Loja não encontrada.');
  isError(t, await patch(other.id, { events: 'x' }, key), 400, 'events must be an array');
  isError(t, await patch(own.id, '[]', key), 400, 'body must be an object');
});

t.test('who may not choose reads them', async (t) => {
  const store = await newStore(all);
  for (const role of ['finance', 'viewer', 'store_viewer']) {
    const token = await keyOf(role, role === 'store_viewer' ? store.id : undefined);
    t.equal((await patch(store.id, { events: [] }, token)).status, 403, role);
    t.match((await admin(`/admin/stores/${store.id}`, { token })).body, all, role);
  }
  const viewer = await newPerson(system, { role: 'store_viewer', storeId: store.id });
  const tab = (await viewer.get(`/panel/stores/${store.id}/store`)).text;
  for (const text of ['refund.updated, payment.updated', 'devolver, cancelar', 'R$ 1.234,56'])
    t.match(tab, `<dd>${text}</dd>`);
  t.notMatch(tab, /type="checkbox"/);
});

const ticked = (page: string) =>
  [...page.matchAll(/name="([^"]+)" type="checkbox" checked/g)].map(([, name]) => name);

t.test('the panel’s switches, of the platform’s people and the store’s own', async (t) => {
  const store = await newStore();
  const tab = `/panel/stores/${store.id}/store`;
  const path = `/panel/stores/${store.id}/choices`;
  for (const account of [undefined, { role: 'store_admin', storeId: store.id }] as const) {
    await patch(store.id, nothing);
    const person = await newPerson(system, account);
    t.strictSame(ticked((await person.get(tab)).text), []);
    const given = { refund: 'on', 'payment.updated': 'on', refundLimitPerDay: '1.000,50' };
    t.equal((await person.post(path, given, tab)).status, 303);
    t.match(await read(store.id), {
      events: ['payment.updated'],
      tokenMay: ['refund'],
      refundLimitPerDay: 1_000.5,
    });
    const page = (await person.get(tab)).text;
    t.strictSame(ticked(page), ['payment.updated', 'refund']);
    t.match(page, 'value="1000,50"');
    const wrong = await person.post(path, { cancel: 'on', refundLimitPerDay: '-1' }, tab);
    t.equal(wrong.status, 400);
    t.match(wrong.text, 'Deve ser no mínimo R$ 0,00.');
    t.match(wrong.text, 'Nada foi alterado. Corrija o campo indicado.');
    t.equal(wrong.text.match(/Nada foi alterado/g)?.length, 1);
    t.strictSame(ticked(wrong.text), ['cancel'], 'what was ticked stays ticked, and nothing else');
    t.match(await read(store.id), { tokenMay: ['refund'], refundLimitPerDay: 1_000.5 });
    t.equal((await person.post(path, {}, tab)).status, 303);
    t.match(await read(store.id), nothing, 'what is not ticked is off, an empty limit none');
  }
});

t.test('a wrong field of the store’s terms leaves the switches as they are', async (t) => {
  const store = await newStore(all);
  const owner = await newPerson(system);
  const tab = `/panel/stores/${store.id}/store`;
  const answer = await owner.post(`/panel/stores/${store.id}`, { name: 'x', feePercent: '101' }, tab);
  t.equal(answer.status, 400);
  t.strictSame(ticked(answer.text), ['payment.updated', 'refund.updated', 'refund', 'cancel']);
  t.match(answer.text, 'value="1234,56"');
});

t.test(
  'a deed is not given from a page that shows another limit, nor a limit from one with other deeds',
  async (t) => {
    const store = await newStore({ refundLimitPerDay: 100 });
    const owner = await newPerson(system);
    const tab = `/panel/stores/${store.id}/store`;
    const path = `/panel/stores/${store.id}/choices`;
    const loaded = fieldsOf((await owner.get(tab)).text, path);
    await patch(store.id, { refundLimitPerDay: null });
    const refused = await owner.post(path, { ...loaded, refund: 'on' }, tab);
    t.equal(refused.status, 409);
    t.match(refused.text, 'Estes dados mudaram enquanto a página estava aberta.');
    t.match(await read(store.id), nothing, 'nothing is saved');
    const today = fieldsOf(refused.text, path);
    t.match(today, { refundLimitPerDay: '' }, 'the page has the values of now');
    t.notOk('refund' in today);
    t.equal((await owner.post(path, { ...today, refund: 'on' }, tab)).status, 303, 'now the person saw them');
    t.match(await read(store.id), { tokenMay: ['refund'], refundLimitPerDay: null });

    t.equal((await owner.post(path, { ...loaded, refundLimitPerDay: '50' }, tab)).status, 409);
    t.equal((await owner.post(path, { ...loaded, 'payment.updated': 'on' }, tab)).status, 303);
    const after = { events: ['payment.updated'], tokenMay: ['refund'], refundLimitPerDay: null };
    t.match(await read(store.id), after, 'an event goes with neither');
  },
);

t.test('what may not be chosen is refused in the panel, too', async (t) => {
  const [own, other] = [await newStore(), await newStore()];
  const person = await newPerson(system, { role: 'store_admin', storeId: own.id });
  t.equal((await person.post(`/panel/stores/${other.id}/choices`, { refund: 'on' })).status, 404);
  const viewer = await newPerson(system, { role: 'viewer' });
  t.equal((await viewer.post(`/panel/stores/${own.id}/choices`, { refund: 'on' })).status, 403);
  for (const { id } of [own, other]) t.match(await read(id), nothing);
});
