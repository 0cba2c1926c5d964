import { type Figure, figureFloor } from '../floors.ts';
import { startGenerator } from '../load/generator.ts';
import { creations } from '../load/job.ts';
import { startReceivers } from '../load/receivers.ts';
import { peakMb } from '../machine.ts';
import type { Bench, Result, Scenario } from '../scenario.ts';
import { type Ours, startOurs } from '../sides/ours.ts';
import { inTurns } from '../statistics.ts';

const loadSeconds = 60;

/** The memory of API and dispatcher under load, and the time of their start. */
export const footprint: Scenario = {
  name: 'footprint',
  title: 'memory of each process under load, and its start until ready',
  run: async (bench) => {
    await using ours = await startOurs(bench.ground);
    await ours.dispatcher.start();
    const memory = await memoryUnderLoad(bench, ours);
    const starts = await startsOf(bench, ours);
    return {
      floors: [...memory.floors, ...starts.floors],
      figures: [...memory.figures, ...starts.figures],
    };
  },
};

async function memoryUnderLoad({ options, say }: Bench, ours: Ours): Promise<Result> {
  await using generator = startGenerator();
  await using stores = startReceivers();
  const { connections } = options;
  const job = { ...creations(ours, (await stores.listen(8)).healthy), connections };
  const { operations } = await generator.run({ ...job, until: { seconds: loadSeconds } });
  await stores.waitFor(operations);
  say(`  ${operations} payments with a webhook each in ${loadSeconds} s`);
  const figures: Figure[] = [ours.api, ours.dispatcher].map((replica) => ({
    side: replica.name,
    what: 'most memory resident',
    unit: 'MB',
    values: [peakMb(replica.pid())],
  }));
  const floors = figures.map((figure) =>
    figureFloor(`memory of the ${figure.side} under load`, figure, 'MB', { atMost: 250 }),
  );
  return { floors, figures };
}

async function startsOf(bench: Bench, { api, dispatcher }: Ours): Promise<Result> {
  const turns = [api, dispatcher].map((replica) => ({
    side: replica.name,
    run: async () => {
      await replica.terminate();
      const startedAt = performance.now();
      await replica.start();
      return performance.now() - startedAt;
    },
  }));
  const figures = await inTurns(bench, { what: 'start until ready', unit: 'ms' }, turns);
  const floors = figures.map((figure) =>
    figureFloor(`start of the ${figure.side} until ready`, figure, 'ms', { atMost: 1_000 }),
  );
  return { floors, figures };
}
