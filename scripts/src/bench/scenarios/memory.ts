import { setTimeout as delay } from 'node:timers/promises';
import { startLoad } from '../load/load.ts';
import { startReceivers } from '../load/receiver.ts';
import { residentMb } from '../process-usage.ts';
import { plainFigure, summaryOf } from '../rates.ts';
import { judgeFigure, type Verdict } from '../results.ts';
import type { Scenario } from '../scenario.ts';
import { startOurs } from '../sides/ours.ts';
import { median } from '../statistics.ts';
import { createStore } from '../stores.ts';
import { creationJob } from './requests.ts';

const everyMs = 1_000;
const ceilingMb = 250;

/** What API and dispatcher have resident while payments are created and webhooks sent, minute after minute. */
export const memory: Scenario = {
  name: 'memory',
  title: 'memory under load',
  run: async ({ ground, options, say }) => {
    const ours = await startOurs(ground, { name: 'bench_memory' });
    const [load, stores] = [startLoad(), startReceivers()];
    const samples = new Map<string, number[]>(ours.processes.map(({ name }) => [name, []]));
    let over = false;
    const sampling = (async () => {
      while (!over) {
        for (const { name, pid } of ours.processes) samples.get(name)?.push(residentMb(pid));
        await delay(everyMs);
      }
    })();
    try {
      const { healthy } = await stores.listen(8);
      const store = await createStore(ours.databaseUrl);
      const job = creationJob(ours.url, store, healthy);
      const result = await load.run({
        ...job,
        connections: options.connections,
        seconds: options.minutes * 60,
      });
      say(summaryOf(result));
      over = true;
      await sampling;
      const figures = [...samples].map(([name, values]) =>
        plainFigure(name, 'resident, second by second', 'MB', values),
      );
      return {
        conditions: [
          `creations with a webhookUrl with ${options.connections} connections for ${options.minutes} minutes: ${summaryOf(result)}`,
        ],
        figures,
        verdicts: figures.flatMap(({ side, values }) => verdictsOf(side, values)),
        notes: figures.map(
          ({ side, values }) =>
            `${side}, median MB of each tenth of the time: ${tenths(values).map(Math.round).join(' ')}`,
        ),
      };
    } finally {
      over = true;
      await load.stop();
      await stores.stop();
      await ours.stop();
      await ground.dropDatabase(ours.database);
    }
  },
};

function tenths(values: readonly number[]): number[] {
  const length = Math.ceil(values.length / 10);
  return Array.from({ length: 10 }, (_, part) => median(values.slice(part * length, (part + 1) * length)));
}

/** The ceiling, and that the last third of the time has no more than the second. */
function verdictsOf(name: string, values: readonly number[]): Verdict[] {
  const third = Math.floor(values.length / 3);
  const later = plainFigure(name, 'last third', 'MB', values.slice(2 * third));
  const earlier = plainFigure(name, 'second third', 'MB', values.slice(third, 2 * third));
  const most = plainFigure(name, 'most', 'MB', [Math.max(...values)]);
  const growth = median(later.values) / median(earlier.values);
  return [
    judgeFigure(`${name}: most resident`, most, 'MB', { atMost: ceilingMb }),
    {
      what: `${name}: resident in the last third of the time`,
      beside: 'the third before',
      unit: 'ratio',
      value: growth,
      wanted: { atMost: 1.05 },
      met: growth <= 1.05,
    },
  ];
}
