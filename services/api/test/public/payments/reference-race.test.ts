import { startApi } from '@payments/api/api';
import { apiSettings } from '@payments/api/settings';
import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { call } from '@payments/testing/http';
import { startSystem } from '@payments/testing/system';
import t from 'tap';

/** Concurrent creations with one reference, on two replicas (Contract: optional fields). */
const system = await startSystem({ dispatcher: false });
t.teardown(system.stop);
const settings = readEnvironment(apiSettings, { ...system.env, PORT: '0', ADMIN_PORT: '0' });
const second = await startApi(settings, createLogger('api', 'silent'));
t.teardown(() => second.close());
const urls = [system.url, `http://127.0.0.1:${second.port}`];
const store = await system.createStore();

t.test('one is created, the others are 409, and every charge at the bank is on record', async (t) => {
  // All of them pass the first look, since the bank answers late.
  await system.bank('/bank/faults', { latencyMs: 500, only: ['putCob'] });
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) =>
      call(`${urls[n % 2]}/api-public/payments`, {
        token: store.token,
        body: { amount: 10 + n, reference: 'pedido-1' },
      }),
    ),
  );
  await system.bank('/bank/faults', {});
  const created = answers.filter(({ status }) => status === 200);
  t.equal(created.length, 1);
  t.equal(answers.filter(({ status }) => status === 409).length, 11);
  const { items, total } = (await system.api('/api-public/payments', { token: store.token })).body;
  t.equal(total, 1);
  t.match(items, [{ id: created[0]?.body.id, amount: created[0]?.body.amount, reference: 'pedido-1' }]);

  const charges = [...system.simulator.bank.ledger.charges.keys()];
  t.ok(charges.length > 1, `${charges.length} charges: the race was one`);
  const unheard = await system.db.selectFrom('unheardCharges').select('paymentId as id').execute();
  const known = [...unheard, ...items].map(({ id }: { id: string }) => id.replaceAll('-', ''));
  t.strictSame(
    charges.filter((txid) => !known.includes(txid)),
    [],
  );
  const events = await system.db.selectFrom('events').select('paymentId').execute();
  t.equal(events.length, 1);
});
