import { startApi } from '@payments/api/api';
import { apiSettings } from '@payments/api/settings';
import { addDays, dayOf, startOf } from '@payments/domain/days';
import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { call } from '@payments/testing/http';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { isError } from '../payments/expectations.ts';

/** A store's tokens may refund so much on a day of São Paulo (Contract: refunds by a token). */
// It begins with a day, which no test but the last one ends.
let offsetMs = startOf(addDays(dayOf(new Date()), 1)).getTime() - Date.now();
const now = () => new Date(Date.now() + offsetMs);
const system = await startSystem({ now, env: { SCAN_INTERVAL_SECONDS: '1', REFUND_RETRY_SECONDS: '600' } });
t.teardown(system.stop);
const settings = readEnvironment(apiSettings, { ...system.env, PORT: '0', ADMIN_PORT: '0' });
const second = await startApi(settings, createLogger('api', 'silent'), { now });
t.teardown(() => second.close());
const replicas = [system.url, `http://127.0.0.1:${second.port}`];
const { admin, db } = system;
const reached = 'Limite diário de devoluções atingido.';
type Store = { id: string; token: string };
const newStore = (refundLimitPerDay: number | null) =>
  system.createStore({ tokenMay: ['refund'], refundLimitPerDay });
const order = (store: Store, id: string, amount?: number, replica = 0) =>
  call(`${replicas[replica]}/api-public/payments/${id}/refunds`, { token: store.token, body: { amount } });
const faults = (named: Record<string, unknown> = {}) => system.bank('/bank/faults', named);

async function approved(store: Store, amount = 100) {
  const body = await system.sell(store, { amount });
  return { id: body.id as string, endToEndId: body.endToEndId as string, code: body.qrCopyPaste };
}

const statesOf = async (id: string): Promise<string[]> =>
  (await admin(`/admin/payments/${id}`)).body.refunds.map(({ state }: { state: string }) => state);

t.test('up to the limit and no more, over all payments; a new token changes nothing', async (t) => {
  const store = await newStore(100);
  const [one, other] = [await approved(store), await approved(store)];
  t.equal((await order(store, one.id, 60)).status, 200);
  isError(t, await order(store, other.id, 40.01), 409, reached);
  isError(t, await order(store, other.id), 409, reached);
  const { token } = (await admin(`/admin/stores/${store.id}/tokens`, { body: {} })).body;
  isError(t, await order({ ...store, token }, other.id, 40.01), 409, reached);
  t.equal((await order({ ...store, token }, other.id, 40)).status, 200);
  isError(t, await order({ ...store, token }, one.id, 0.01), 409, reached);
  await admin(`/admin/stores/${store.id}`, { method: 'PATCH', body: { refundLimitPerDay: null } });
  t.equal((await order({ ...store, token }, one.id)).status, 200, 'no limit');
});

t.test('administrators, second Pix, the bank and another store do not count', async (t) => {
  const [store, other] = [await newStore(10), await newStore(10)];
  const [one, theirs] = [await approved(store), await approved(other)];
  t.equal((await order(other, theirs.id, 10)).status, 200);
  await admin(`/admin/payments/${one.id}/refunds`, { body: { amount: 30 } });
  await system.bank('/bank/pay', { pixCopiaECola: one.code, valor: '50.00' });
  await system.bank('/bank/refunds', { endToEndId: one.endToEndId, valor: '20.00' });
  await eventually('all three to be made', async () =>
    (await statesOf(one.id)).filter((state) => state === 'refunded').length === 3 ? true : undefined,
  );
  t.equal((await order(store, one.id, 10)).status, 200);
  isError(t, await order(store, one.id, 0.01), 409, reached);
  t.equal((await admin(`/admin/payments/${one.id}/refunds`, { body: {} })).status, 202, 'nor are they bound');
});

t.test(
  'what failed does not count; ordered anew by the service it counts, by a person it does not',
  async (t) => {
    const store = await newStore(30);
    const [one, two, three] = [await approved(store), await approved(store), await approved(store)];
    const failing = async (id: string) => {
      await faults({ refuseRefunds: true });
      t.equal((await order(store, id, 20)).status, 200);
      await eventually('a refusal', async () =>
        (await statesOf(id)).at(-1) === 'failed' ? true : undefined,
      );
      await faults();
    };
    await failing(one.id);
    await failing(two.id);
    const [failed] = (await admin(`/admin/payments/${two.id}`)).body.refunds;
    await admin(`/admin/payments/${two.id}/refunds/${failed?.id}/retry`, { body: {} });
    t.equal((await order(store, three.id, 10)).status, 200);
    offsetMs += 601_000;
    await eventually('the service to order it anew', async () =>
      (await statesOf(one.id)).at(-1) === 'refunded' ? true : undefined,
    );
    isError(t, await order(store, three.id, 0.01), 409, reached);
    const counted = await db
      .selectFrom('refunds')
      .select(['amount', 'state'])
      .where('tokenId', 'is not', null)
      .where('paymentId', '=', one.id)
      .orderBy('ordinal')
      .execute();
    t.strictSame(counted, [
      { amount: 2_000, state: 'failed' },
      { amount: 2_000, state: 'refunded' },
    ]);
  },
);

t.test('orders at once, on two replicas, never exceed it', async (t) => {
  const store = await newStore(50);
  const payments = await Promise.all(Array.from({ length: 12 }, () => approved(store, 10)));
  const answers = await Promise.all(payments.map(({ id }, index) => order(store, id, 10, index % 2)));
  t.equal(answers.filter(({ status }) => status === 200).length, 5);
  for (const answer of answers.filter(({ status }) => status !== 200)) isError(t, answer, 409, reached);
  const { sum } = await db
    .selectFrom('refunds')
    .innerJoin('payments', 'payments.id', 'refunds.paymentId')
    .select(({ fn }) => fn.sum<string>('refunds.amount').as('sum'))
    .where('storeId', '=', store.id)
    .executeTakeFirstOrThrow();
  t.equal(Number(sum), 5_000);
  const one = await approved(store, 100);
  await admin(`/admin/stores/${store.id}`, { method: 'PATCH', body: { refundLimitPerDay: 80 } });
  const parts = await Promise.all(
    Array.from({ length: 10 }, (_, index) => order(store, one.id, 10, index % 2)),
  );
  t.equal(parts.filter(({ status }) => status === 200).length, 3, 'parts of one payment, too');
});

t.test('a day is São Paulo’s: at its midnight the sum begins anew', async (t) => {
  const store = await newStore(10);
  const { id } = await approved(store);
  const midnight = startOf(addDays(dayOf(now()), 2)).getTime();
  offsetMs = midnight - 60_000 - Date.now();
  t.equal((await order(store, id, 10)).status, 200);
  isError(t, await order(store, id, 0.01), 409, reached);
  offsetMs = midnight - Date.now() + 1_000;
  t.equal((await order(store, id, 10)).status, 200);
  isError(t, await order(store, id, 0.01), 409, reached);
});
