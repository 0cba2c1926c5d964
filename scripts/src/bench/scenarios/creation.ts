import { compareLoads, perSecond, plainFigure } from '../rates.ts';
import { type Figure, judgeRatio } from '../results.ts';
import type { BenchContext, Scenario } from '../scenario.ts';
import { creationScript, type PgBench, readScript } from '../sides/pgbench.ts';
import { paymentIds, withSides } from './api-sides.ts';
import { creationJob, readJob } from './requests.ts';

/** Creations a second: ours, the bare driver, the usual stack, and the database alone. */
export const creation: Scenario = {
  name: 'creation',
  title: 'creations a second, PSP at zero latency',
  run: (context) =>
    withSides(context, async ({ sides: [ours, bare, usual], stores, load, pgbench }) => {
      const figures = await compareLoads(context, load, perSecond('creations'), [
        { side: ours, job: creationJob(ours.url, stores.ours) },
        { side: bare, job: creationJob(bare.url, stores.bare) },
        { side: usual, job: creationJob(usual.url, stores.usual) },
      ]);
      const [mine, beside, stack] = figures as [Figure, Figure, Figure];
      const alone = await databaseAlone(context, pgbench, creationScript(stores.bare));
      return {
        conditions: conditionsOf(context, 'POST with amount, email and observation; no webhookUrl'),
        figures: [...figures, ...alone],
        verdicts: [
          judgeRatio('creations/s', [mine, beside], { atLeast: 0.85 }),
          judgeRatio('creations/s', [mine, stack], { atLeast: 2 }),
        ],
        notes: alone.length > 0 ? [] : ['the database alone is left out: there is no pgbench here'],
      };
    }),
};

/** Reads by id a second, of the same sides. */
export const read: Scenario = {
  name: 'read',
  title: 'reads by id a second',
  run: (context) =>
    withSides(context, async ({ sides: [ours, bare, usual], stores, load, pgbench }) => {
      const seed = { seconds: 2, connections: context.options.connections };
      for (const [side, store] of [
        [ours, stores.ours],
        [bare, stores.bare],
        [usual, stores.usual],
      ] as const)
        await load.run({ ...creationJob(side.url, store), ...seed });
      const paths = async (side: typeof ours) => (await paymentIds(side.databaseUrl)).map((id) => `/${id}`);
      const barePaths = await paths(bare);
      const figures = await compareLoads(context, load, perSecond('reads'), [
        { side: ours, job: readJob(ours.url, stores.ours, await paths(ours)) },
        { side: bare, job: readJob(bare.url, stores.bare, barePaths) },
        { side: usual, job: readJob(usual.url, stores.usual, await paths(usual)) },
      ]);
      const [mine, beside, stack] = figures as [Figure, Figure, Figure];
      const script = readScript(stores.bare, barePaths[0]?.slice(1) ?? '');
      const alone = await databaseAlone(context, pgbench, script);
      return {
        conditions: conditionsOf(context, 'GET of 1000 payments in turn, each request authenticated'),
        figures: [...figures, ...alone],
        verdicts: [
          judgeRatio('reads by id/s', [mine, beside], { atLeast: 0.75 }),
          judgeRatio('reads by id/s', [mine, stack], { atLeast: 3.5 }),
        ],
        notes: alone.length > 0 ? [] : ['the database alone is left out: there is no pgbench here'],
      };
    }),
};

function conditionsOf({ options }: BenchContext, what: string): string[] {
  const { connections, rounds, seconds } = options;
  return [
    what,
    `${connections} connections, ${rounds} rounds of ${seconds} s each side, in turns, after one of warm-up`,
  ];
}

/** After the others rather than between them: it shows the ceiling, and is compared with nothing. */
async function databaseAlone(
  { options, say }: BenchContext,
  pgbench: PgBench | undefined,
  script: string,
): Promise<Figure[]> {
  if (!pgbench) return [];
  const values: number[] = [];
  for (let round = 0; round < options.rounds; round += 1) {
    values.push(await pgbench.transactionsPerSecond(script, options.seconds));
    say(`  database alone: ${Math.round(values.at(-1) ?? 0)}/s`);
  }
  return [plainFigure('database alone', 'the same statements, 10 clients (pgbench)', '/s', values)];
}
