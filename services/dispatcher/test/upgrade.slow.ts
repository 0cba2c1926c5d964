import { fileURLToPath } from 'node:url';
import { startReceiver } from '@payments/testing/receiver';
import { migrateBy, startReplicatedSystem } from '@payments/testing/replicated-system';
import t from 'tap';
import { checkOut, commitBefore } from './other-commit.ts';
import { startSteadyLoad, toldOfAll } from './steady-load.ts';

/** Two releases side by side, as in a rollout; `FROM=<commit>` names the older one. */
const from = process.env.FROM ?? commitBefore();
const skip = from === undefined && 'there is no history here to take an older commit from';
t.setTimeout(300_000);

const thisOne = fileURLToPath(new URL('../../..', import.meta.url));

t.test('an upgrade and the way back under load: no request fails', { skip }, async (t) => {
  const checkout = await checkOut(t, from!);
  const system = await startReplicatedSystem({ checkout });
  const receiver = await startReceiver();
  t.teardown(async () => {
    await system.stop();
    await receiver.close();
  });
  const scene = { system, receiver, store: await system.createStore() };
  const load = startSteadyLoad(scene);
  await receiver.waitForCount(10);

  await migrateBy(thisOne, system.databaseUrl);
  const steps = [
    ['dispatcher', undefined],
    ['api', undefined],
    ['dispatcher', checkout],
    ['api', checkout],
  ] as const;
  for (const [service, folder] of steps)
    for (const { code, ms } of await system.restart(service, folder))
      t.equal(code, 0, `${service} ended in order after ${ms} ms`);

  await load.stop();
  t.same(load.failed, [], 'no request failed');
  t.equal(system.balancers.api.refused(), 0, 'there was a replica for every connection');
  const repeated = await toldOfAll(t, scene, load);
  t.equal(repeated, 0, 'every replica ended in order, so nothing was in flight that had to be repeated');
  t.comment(`from ${from}: ${load.requests()} requests, ${load.created.length} payments`);
});
