import type { ClaimedDelivery } from '@payments/database/deliveries/claimed-delivery';
import { pauseOn } from '@payments/testing/pause';
import { startReceiver } from '@payments/testing/receiver';
import { eventually, startSystem } from '@payments/testing/system';
import t from 'tap';
import { hostBreakers } from '../../src/deliveries/hosts.ts';
import { openSql } from './sql.ts';

const policy = { failuresToOpen: 3, openSeconds: 10, maxOpenSeconds: 40, probeSeconds: 60 };
const to = (id: string, url: string) => ({ id, url }) as ClaimedDelivery;
const givenBack = 'new.claim_id is null and new.attempts < old.attempts';
const idsOf = ({ admitted }: { admitted: ClaimedDelivery[] }) => admitted.map(({ id }) => id);

t.test('a host rests after failures in a row, over all of its paths; one probe ends that', async (t) => {
  let now = 0;
  const hosts = hostBreakers(policy, () => new Date(now));
  const paths = ['a', 'b', 'c', 'd'].map((path) => to(path, `https://down.example/${path}?q=1`));
  const elsewhere = to('e', 'https://down.example:8443/a');
  t.same(idsOf(hosts.sort(paths)), ['a', 'b', 'c', 'd']);
  for (const delivery of paths.slice(0, 3)) hosts.hear(delivery, false);

  const { admitted, resting } = hosts.sort([...paths, elsewhere]);
  t.same(admitted, [elsewhere], 'another port is another host');
  t.same(
    resting.map(({ restMs }) => restMs),
    [10_000, 10_000, 10_000, 10_000],
  );
  now = 10_000;
  t.same(idsOf(hosts.sort(paths)), ['a'], 'one probe, the others wait for it');
  hosts.hear(paths[0]!, false);
  now = 20_000;
  t.same(idsOf(hosts.sort(paths)), [], 'the second rest is longer');
  now = 30_000;
  t.same(idsOf(hosts.sort(paths)), ['a']);
  hosts.hear(paths[0]!, true);
  t.same(idsOf(hosts.sort(paths)), ['a', 'b', 'c', 'd'], 'it works again');
});

t.test(
  'a success in between starts the count anew, and what says nothing of the host does not count',
  async (t) => {
    const hosts = hostBreakers(policy, () => new Date(0));
    const delivery = to('a', 'https://store.example/');
    for (const heard of [false, false, null, true, false, false, null]) hosts.hear(delivery, heard);
    t.same(idsOf(hosts.sort([delivery])), ['a']);
  },
);

t.test(
  'a host that is down costs what waits for it no retries, and gets all of it when it is back',
  async (t) => {
    const system = await startSystem({ env: { WEBHOOK_RETRY_SECONDS: '0.5,0.5,0.5,0.5,0.5' } });
    t.teardown(system.stop);
    const store = await system.createStore();
    // A port that was free a moment ago: nobody listens there now.
    const gone = await startReceiver();
    const port = Number(new URL(gone.url).port);
    await gone.close();
    const count = 60;
    const create = (index: number) => {
      const webhookUrl = `http://127.0.0.1:${port}/${index}`;
      return system.api('/api-public/payments', { token: store.token, body: { amount: 10, webhookUrl } });
    };
    const sql = openSql(t, system.env.DATABASE_URL!);
    const pause = await pauseOn(system.env.DATABASE_URL!, 'before update on deliveries', givenBack);
    await Promise.all(Array.from({ length: count }, (_, index) => create(index)));
    // What is given back is so even if the connection breaks as that is said.
    await pause.reached();
    await sql(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`);
    await pause.end();
    const attempts = async () => {
      const { body } = await system.admin('/admin/deliveries?limit=200');
      return body.items.reduce((sum: number, delivery: { attempts: number }) => sum + delivery.attempts, 0);
    };
    await eventually(10_000, 'the host to be given up', async () => (await attempts()) >= 20 || undefined);
    const before = await attempts();
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    t.ok((await attempts()) - before < count, 'most of them wait, untried');

    const receiver = await startReceiver({ port });
    t.teardown(receiver.close);
    await eventually(20_000, 'all to be delivered', async () => {
      const { body } = await system.admin('/admin/deliveries?state=delivered&limit=1');
      return body.total === count || undefined;
    });
    t.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, count);
    t.same(await sql(`select * from all_attempts where stage = 'lost'`), []);
  },
);
