import { claimDueDeliveries, claimProbes } from '@payments/database/deliveries/claims';
import { renewLeases } from '@payments/database/deliveries/leases';
import t from 'tap';
import { openScene } from './scene.ts';
import { watchReceiver } from './watched-receiver.ts';

// Two workers' claims, step by step: no dispatcher runs unless a test starts one.
const { shop, sql, system } = await openScene(t, { dispatcher: false });
const { db } = system;
const leaseMs = 400;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const claimDue = () =>
  claimDueDeliveries(db, { limit: 10, leaseMs, free: new Map(), perEndpoint: 4, failing: true });
const probe = () => claimProbes(db, { limit: 10, leaseMs });

/** Deliveries that are due one after the other, to an endpoint of their own. @returns their ids, in that order */
async function entered(count: number, url: string): Promise<string[]> {
  await shop.chargeMany(count, () => url);
  const rows = await sql(
    `update deliveries d set claimed_at = null, next_attempt_at = now() - interval '1 s' + place * interval '1 ms'
    from (select id, row_number() over (order by id) as place from deliveries where url = $1) entered
    where d.id = entered.id returning d.id`,
    [url],
  );
  return rows.map(({ id }) => id).sort();
}

/** The endpoint's breaker is open and its rest is over. */
const openBreaker = (url: string) =>
  sql(
    `insert into failing_endpoints (id, store_id, url, phase, failures, openings, failing_since, open_until)
    values (endpoint_of($1, $2), $1, $2, 'open', 10, 1, now(), now())`,
    [shop.id, url],
  );

t.test(
  'a claim that is renewed is held for as long as it takes; one that is not falls due again',
  async (t) => {
    const [id] = await entered(1, 'http://127.0.0.1:9/renewed');
    const [claimed] = await claimDue();
    t.equal(claimed?.id, id);
    for (let n = 0; n < 8; n += 1) {
      await pause(100);
      await renewLeases(db, [claimed!], leaseMs);
      t.same(await claimDue(), []);
    }
    await pause(leaseMs + 50);
    const [again] = await claimDue();
    t.match(again, { id, attempt: 2 });
    const attempts = await sql('select number, stage from all_attempts where delivery_id = $1', [id]);
    t.same(attempts, [{ number: 1, stage: 'lost' }], 'the one that vanished is shown');

    await renewLeases(db, [claimed!], 60_000);
    await pause(leaseMs + 50);
    t.equal((await claimDue()).length, 1, 'who lost a claim can’t renew it');
    await sql('delete from attempts');
    await sql('delete from deliveries');
  },
);

t.test('while a probe is under way, however long, nobody probes beside it', async (t) => {
  const url = 'http://127.0.0.1:9/probed';
  const ids = await entered(3, url);
  await openBreaker(url);
  const both = (await Promise.all([probe(), probe(), probe()])).flat();
  t.equal(both.length, 1, 'of several replicas one has the probe');
  t.match(both, [{ probe: true, id: ids[0] }]);
  for (let n = 0; n < 8; n += 1) {
    await pause(100);
    await renewLeases(db, both, leaseMs);
    t.same(await probe(), []);
    t.same(await claimDue(), []);
  }
  const [{ phase }] = await sql('select phase from failing_endpoints');
  t.equal(phase, 'half-open');
  await pause(leaseMs + 50);
  const next = await probe();
  t.equal(next.length, 1, 'when its process is gone another one probes');
  await sql('delete from failing_endpoints');
  await sql('delete from attempts');
  await sql('delete from deliveries');
});

t.test('a delivery that ends every process that attempts it is given up, visibly', async (t) => {
  const receiver = await watchReceiver(t);
  const [id] = await entered(1, receiver.at('/'));
  await sql(
    `update deliveries set attempts = 18, claim_id = gen_random_uuid(), claimed_at = now(), next_attempt_at = now()
    where id = $1`,
    [id],
  );
  const dispatcher = await system.startDispatcher();
  t.teardown(dispatcher.close);
  const dead = async () => (await system.admin('/admin/deliveries?state=dead')).body.items;
  while ((await dead()).length === 0) await pause(50);
  t.match(await dead(), [{ id, attempts: 19, lastError: /disappeared/ }]);
  t.same(receiver.visits, []);

  t.equal((await system.admin(`/admin/deliveries/${id}/redeliver`, { method: 'POST' })).status, 202);
  await receiver.until(() => receiver.visits.length === 1);
});
