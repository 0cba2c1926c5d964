import t from 'tap';
import { faultNames as namesOf, planFaults } from '../../src/faults/all.ts';
import { seededRandom } from '../../src/random.ts';

const faultNames = namesOf({ cluster: false });

const planOf = (seed: number, seconds: number, names: readonly string[] = faultNames) =>
  planFaults(seededRandom(seed), { names, seconds }).map(({ fault, atMs, lastsMs }) => [
    fault.name,
    atMs,
    lastsMs,
  ]);

t.test('a seed repeats its faults, another one has others', async (t) => {
  t.same(planOf(7, 180), planOf(7, 180));
  t.not(JSON.stringify(planOf(7, 180)), JSON.stringify(planOf(8, 180)));
});

t.test('three minutes are enough for every fault', async (t) => {
  for (const seed of [1, 2, 3, 4, 5])
    t.equal(new Set(planOf(seed, 180).map(([name]) => name)).size, faultNames.length);
});

t.test('only the requested faults happen', async (t) => {
  t.same([...new Set(planOf(1, 60, ['nats-killed']).map(([name]) => name))], ['nats-killed']);
  t.same(planOf(1, 60, []), []);
});
