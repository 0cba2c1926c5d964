import { lockTable, untilWaiting } from '@payments/testing/pause';
import { eventually } from '@payments/testing/system';
import t from 'tap';
import { openScene } from './scene.ts';
import { watchReceiver } from './watched-receiver.ts';

// A dispatcher runs only if a test starts one. No answer is too late on a slow machine.
const env = { WEBHOOK_TIMEOUT_MS: '120000' };
const { shop, sql, system } = await openScene(t, { dispatcher: false, env });

t.test('a running dispatcher keeps its lease, and ends it when it stops', async (t) => {
  const receiver = await watchReceiver(t);
  receiver.answerWith(() => ({ delayMs: 12_000 }));
  const dispatchers = [await system.startDispatcher(), await system.startDispatcher()];
  await shop.charge(receiver.at('/slow'));
  await receiver.until(() => receiver.visits[0]?.endedAt !== undefined);
  await eventually('the record', async () => {
    const [{ state }] = await sql('select state from deliveries');
    return state === 'delivered' || undefined;
  });
  t.equal(receiver.visits.length, 1, 'the attempt took longer than a lease, and was made once');
  const leased = async () => (await sql('select id from dispatchers where leased_until > now()')).length;
  t.equal(await leased(), 2);
  await Promise.all(dispatchers.map((dispatcher) => dispatcher.close()));
  t.equal(await leased(), 0);
  await sql('delete from deliveries');
});

t.test('a lease is renewed while a read of the queue waits', async (t) => {
  const url = system.env.DATABASE_URL!;
  const dispatcher = await system.startDispatcher();
  const lock = await lockTable(url, 'failing_endpoints');
  await untilWaiting(url, 1, 'due.next_attempt_at');
  const waiting = () =>
    sql(`select pid, query_start from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and strpos(query, 'due.next_attempt_at') > 0`);
  const leasedUntil = async () => {
    const [{ leased_until: until }] = await sql('select leased_until from dispatchers');
    return until.getTime();
  };
  const [read, leased] = [await waiting(), await leasedUntil()];
  await eventually('the lease to be renewed', async () => (await leasedUntil()) > leased || undefined);
  t.same(await waiting(), read, 'meanwhile the same read waits');
  await lock.end();
  await dispatcher.close();
});

t.test('a delivery that kills every process that attempts it is dead', async (t) => {
  const receiver = await watchReceiver(t);
  await shop.charge(receiver.at('/'));
  const [{ id }] = await sql(
    'update deliveries set attempts = 18, claimed_by = gen_random_uuid(), claimed_at = now() returning id',
  );
  const dispatcher = await system.startDispatcher();
  t.teardown(dispatcher.close);
  const dead = async () => (await system.admin('/admin/deliveries?state=dead')).body.items;
  await eventually('its end', async () => (await dead()).length > 0 || undefined);
  t.match(await dead(), [{ id, attempts: 19, lastError: /disappeared/ }]);
  t.same(receiver.visits, []);

  t.equal((await system.admin(`/admin/deliveries/${id}/redeliver`, { method: 'POST' })).status, 202);
  await receiver.until(() => receiver.visits.length === 1);
});
