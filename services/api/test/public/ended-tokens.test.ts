import { untilWaiting } from '@payments/testing/pause';
import { inSession } from '@payments/testing/sessions';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from './payments/expectations.ts';

/** A refund and a cancellation are judged by the token of the moment in which they are made (Contract: newest token). */
let offsetMs = 0;
const now = () => new Date(Date.now() + offsetMs);
const pass = (ms: number) => {
  offsetMs += ms;
};
const system = await startSystem({ dispatcher: false, now });
t.teardown(system.stop);
const { admin } = system;
const url = system.env.DATABASE_URL!;
const fields = { tokenMay: ['refund', 'cancel'] };
type Store = { id: string; token: string; tokenId: string };

async function newStore(): Promise<Store> {
  const store = await system.createStore(fields);
  const expiresAt = new Date(now().getTime() + 3_600_000);
  const { body } = await admin(`/admin/stores/${store.id}/tokens`, { body: { expiresAt } });
  return { id: store.id, token: body.token, tokenId: body.id };
}

/** Sends a request, and answers once it was admitted, waited for its payment's lock, and `meanwhile` is done. */
async function held(paymentId: string, send: () => ReturnType<typeof system.api>, meanwhile: () => unknown) {
  return inSession(url, async (client) => {
    await client.query('begin');
    await client.query('select from payments where id = $1 for update', [paymentId]);
    const answer = send();
    await untilWaiting(url, 1);
    await meanwhile();
    await client.query('rollback');
    return answer;
  });
}

const change = (store: Store, body: object) => admin(`/admin/stores/${store.id}`, { method: 'PATCH', body });

const changes: [
  name: string,
  make: (store: Store) => unknown,
  refusal?: [status: number, message: string],
][] = [
  ['goes on', () => {}],
  [
    'is superseded',
    ({ id }) => admin(`/admin/stores/${id}/tokens`, { body: {} }),
    [401, 'Apenas o token mais recente é válido.'],
  ],
  [
    'is deactivated',
    ({ id, tokenId }) => admin(`/admin/stores/${id}/tokens/${tokenId}`, { method: 'DELETE' }),
    [401, 'Token inválido ou expirado.'],
  ],
  ['expires', () => pass(3_600_001), [401, 'Token inválido ou expirado.']],
  ['is of a store that is deactivated', (store) => change(store, { active: false }), [403, 'Loja inativa.']],
  ['may no more', (store) => change(store, { tokenMay: [] }), [403, 'Operação não habilitada para a loja.']],
];

for (const [name, make, refusal] of changes) {
  t.test(`a refund that waits while its token ${name}`, async (t) => {
    const store = await newStore();
    const { id } = await system.sell(store, { amount: 10 });
    const path = `/api-public/payments/${id}/refunds`;
    const order = () => system.api(path, { token: store.token, body: { amount: 4 } });
    const answer = await held(id, order, () => make(store));
    if (refusal) isError(t, answer, ...refusal);
    else t.equal(answer.status, 200);
    t.equal((await admin(`/admin/payments/${id}`)).body.refunds.length, refusal ? 0 : 1);
  });

  t.test(`a cancellation that waits while its token ${name}`, async (t) => {
    const store = await newStore();
    const { id } = (await system.api('/api-public/payments', { token: store.token, body: { amount: 10 } }))
      .body;
    const cancel = () =>
      system.api(`/api-public/payments/${id}/cancel`, { token: store.token, method: 'POST' });
    const answer = await held(id, cancel, () => make(store));
    if (refusal) isError(t, answer, ...refusal);
    else t.equal(answer.status, 200);
    t.equal((await admin(`/admin/payments/${id}`)).body.status, refusal ? 'pending' : 'not_approved');
  });
}

t.test(
  'a refund that is repeated under its Idempotency-Key by a token that has ended shows nothing',
  async (t) => {
    const store = await newStore();
    const { id } = await system.sell(store, { amount: 10 });
    const request = {
      token: store.token,
      body: { amount: 4 },
      headers: { 'idempotency-key': 'devolucao-1' },
    };
    const path = `/api-public/payments/${id}/refunds` as const;
    const order = () => system.api(path, request);
    t.equal((await order()).status, 200);
    await eventually('the bank to make it', async () => {
      const [refund] = (await system.api(path, { token: store.token })).body.items;
      return refund?.status === 'refunded' || undefined;
    });
    const rotate = () => admin(`/admin/stores/${store.id}/tokens`, { body: {} });
    isError(t, await held(id, order, rotate), 401, 'Apenas o token mais recente é válido.');
  },
);
