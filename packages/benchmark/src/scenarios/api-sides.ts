import { call } from '@payments/testing/http';
import { type Figure, ratioFloor } from '../floors.ts';
import { type Generator, startGenerator } from '../load/generator.ts';
import { creations, type LoadJob, reads } from '../load/job.ts';
import type { Bench, Result, Scenario } from '../scenario.ts';
import { startBare, startUsualStack } from '../sides/others.ts';
import { startOurs } from '../sides/ours.ts';
import type { Side } from '../sides/side.ts';
import { inTurns } from '../statistics.ts';

/** Creations without a webhook, with a bank that responds at once. */
export const creation: Scenario = {
  name: 'creation',
  title: 'creations a second, one PSP call each',
  run: (bench) =>
    compareSides(bench, {
      what: 'creations',
      jobOf: async (side) => creations(side),
      floors: { bare: 0.9, usualStack: 2 },
    }),
};

const payments = 1_000;
const atOnce = 20;

/** Reads of a thousand payments in turn, each request authenticated. */
export const read: Scenario = {
  name: 'read',
  title: 'reads by id a second',
  run: (bench) =>
    compareSides(bench, {
      what: 'reads by id',
      jobOf: async (side) => reads(side, await createPayments(side)),
      floors: { bare: 1, usualStack: 4 },
    }),
};

async function createPayments(side: Side): Promise<string[]> {
  const { origin, paths, headers, bodies } = creations(side);
  const ids: string[] = [];
  const worker = async () => {
    while (ids.length < payments) {
      const { body } = await call(`${origin}${paths[0]}`, { headers, body: bodies[0] });
      ids.push(body.id);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return ids.map((id) => `/${id}`);
}

type Compared = {
  /** The operation's name, in the plural. */
  what: string;
  jobOf(side: Side): Promise<Omit<LoadJob, 'connections' | 'until'>>;
  /** The floors relative to each of the others. */
  floors: { bare: number; usualStack: number };
};

/** Compares the operations a second of ours, the bare side and the usual stack, each on its own database. */
async function compareSides(bench: Bench, { what, jobOf, floors }: Compared): Promise<Result> {
  const { ground } = bench;
  await using service = await startOurs(ground);
  await using bare = await startBare(ground);
  await using usual = await startUsualStack(ground);
  await using generator = startGenerator();
  const turns = await Promise.all(
    [service, bare, usual].map(async (side) => {
      const job = await jobOf(side);
      return { side: side.name, run: () => rateOf(bench, generator, job) };
    }),
  );
  const figures = await inTurns(bench, { what: `${what} a second`, unit: '/s' }, turns);
  const [ours, ofBare, usualStack] = figures as [Figure, Figure, Figure];
  return {
    floors: [
      ratioFloor(`${what} a second`, [ours, usualStack], { atLeast: floors.usualStack }),
      ratioFloor(`${what} a second`, [ours, ofBare], { atLeast: floors.bare }),
    ],
    figures,
  };
}

async function rateOf(
  { options }: Bench,
  generator: Generator,
  job: Omit<LoadJob, 'connections' | 'until'>,
): Promise<number> {
  const { connections, seconds } = options;
  const result = await generator.run({ ...job, connections, until: { seconds } });
  return result.operations / result.seconds;
}
