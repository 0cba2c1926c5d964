import { startReceiver } from '@payments/testing/receiver';
import { startReplicatedSystem } from '@payments/testing/replicated-system';
import t from 'tap';
import { startSteadyLoad, toldOfAll } from './steady-load.ts';

/** Rounds of restarts of both services; `ROUNDS=20` makes it a benchmark. */
const rounds = Number(process.env.ROUNDS ?? 1);
t.setTimeout(rounds * 300_000);

const system = await startReplicatedSystem();
const receiver = await startReceiver();
t.teardown(async () => {
  await system.stop();
  await receiver.close();
});
const scene = { system, receiver, store: await system.createStore() };

t.test('both services restart, one replica after another, under load: no request fails', async (t) => {
  const load = startSteadyLoad(scene);
  await receiver.waitForCount(10);
  for (let round = 0; round < rounds; round += 1) {
    for (const service of ['api', 'dispatcher'] as const) {
      const ends = await system.restart(service);
      for (const { code, ms } of ends) t.equal(code, 0, `${service} ended in order after ${ms} ms`);
    }
  }
  await load.stop();
  t.same(load.failed, [], 'no request failed');
  t.equal(system.balancers.api.refused(), 0, 'there was a replica for every connection');
  const repeated = await toldOfAll(t, scene, load);
  t.comment(`${load.requests()} requests, ${load.created.length} payments, ${repeated} webhooks repeated`);
});
