import { query } from '@payments/testing/sessions';
import { systemClient } from '@payments/testing/system-client';
import { type Figure, ratioFigure, ratioFloor } from '../floors.ts';
import { type Generator, startGenerator } from '../load/generator.ts';
import { creations, feeds } from '../load/job.ts';
import { cpuMs } from '../machine.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { type Ours, startOurs } from '../sides/ours.ts';
import { inTurns } from '../statistics.ts';

const stores = 1_000;
const everySeconds = 2;
const salesPerSecond = 50;

/** Creations while a thousand stores read their feeds every two seconds; and what one reading costs. */
export const feed: Scenario = {
  name: 'feed',
  title: 'creations while 1,000 stores read their feeds every two seconds',
  run: async (bench) => {
    await using ours = await startOurs(bench.ground);
    await using seller = startGenerator();
    await using readers = startGenerator();
    bench.say(`  opening ${stores} stores`);
    const opened = await openStores(bench, ours);
    const sell = () => p99Of(bench, seller, ours);
    const { connections, seconds } = bench.options;
    const poll = { ...feeds(ours.url, opened), connections, rate: stores / everySeconds };
    const beside = async () => {
      const [ms] = await Promise.all([sell(), readers.run({ ...poll, until: { seconds } })]);
      return ms;
    };
    const figures = await inTurns(bench, { what: 'creations, p99', unit: 'ms' }, [
      { side: 'no feed read', run: sell },
      { side: `${stores} feeds read`, run: beside },
    ]);
    const [none, read] = figures as [Figure, Figure];
    const cost = await costOf(bench, ours, () => readers.run({ ...poll, until: { seconds } }));
    return {
      floors: [ratioFloor(read.what, [read, none], { atMost: 3 })],
      figures: [...figures, ratioFigure([read, none]), ...cost],
    };
  },
};

/** @returns stores with some events each, which every one of them has read */
async function openStores({ ground }: Bench, { url, adminUrl, createStore }: Ours) {
  const { api } = systemClient({ url, adminUrl, bankUrl: ground.bankUrl });
  const open = async () => {
    const { token } = await createStore();
    for (let sale = 0; sale < 3; sale += 1)
      await api('/api-public/payments', { token, body: { amount: 19.9 } });
    const { body } = await api('/api-public/events', { token });
    return { token, next: body.next as string };
  };
  const opened = [];
  for (let count = 0; count < stores; count += 20)
    opened.push(...(await Promise.all(Array.from({ length: 20 }, open))));
  return opened;
}

async function p99Of({ options }: Bench, generator: Generator, ours: Ours): Promise<number> {
  const { connections, seconds } = options;
  const job = { ...creations(ours), connections, rate: salesPerSecond, until: { seconds } };
  return (await generator.run(job)).p99Ms;
}

/** @returns the processor time of API and PostgreSQL for one reading, while nothing is sold */
async function costOf(
  { options }: Bench,
  { api, databaseUrl }: Ours,
  read: () => Promise<{ operations: number }>,
): Promise<Figure[]> {
  const sides = [
    { side: api.name, pid: api.pid() },
    { side: 'PostgreSQL', pid: await serverPid(databaseUrl) },
  ];
  const of = { what: 'one reading of a feed', unit: 'ms of CPU' };
  const figures: Figure[] = sides.map(({ side }) => ({ side, ...of, values: [] }));
  for (let round = 0; round < options.rounds; round += 1) {
    const before = sides.map(({ pid }) => cpuMs(pid));
    const { operations } = await read();
    for (const [index, { pid }] of sides.entries())
      figures[index]!.values.push((cpuMs(pid) - before[index]!) / operations);
  }
  return figures;
}

async function serverPid(databaseUrl: string): Promise<number> {
  const [server] = await query<{ pid: number }>(
    databaseUrl,
    `select split_part(pg_read_file('postmaster.pid'), e'\\n', 1)::int as pid`,
  );
  return server!.pid;
}
