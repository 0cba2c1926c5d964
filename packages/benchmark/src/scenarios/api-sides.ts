import { type Figure, ratioFloor } from '../floors.ts';
import { type Generator, startGenerator } from '../load/generator.ts';
import type { LoadJob } from '../load/job.ts';
import type { Bench, Result } from '../scenario.ts';
import { startBare, startUsualStack } from '../sides/others.ts';
import { startOurs } from '../sides/ours.ts';
import type { Side } from '../sides/side.ts';
import { inTurns } from '../statistics.ts';

export type Compared = {
  /** The operation's name, in the plural. */
  what: string;
  jobOf(side: Side): Promise<Omit<LoadJob, 'connections' | 'until'>>;
  /** The floors relative to each of the others. */
  floors: { bare: number; usualStack: number };
};

/** Compares the operations a second of ours, the bare side and the usual stack, each on its own database. */
export async function compareSides(bench: Bench, { what, jobOf, floors }: Compared): Promise<Result> {
  const { ground } = bench;
  const sides = [await startOurs(ground), await startBare(ground), await startUsualStack(ground)];
  const generator = startGenerator();
  try {
    const turns = await Promise.all(
      sides.map(async (side) => {
        const job = await jobOf(side);
        return { side: side.name, run: () => rateOf(bench, generator, job) };
      }),
    );
    const figures = await inTurns(bench, { what: `${what} a second`, unit: '/s' }, turns);
    const [ours, bare, usualStack] = figures as [Figure, Figure, Figure];
    return {
      floors: [
        ratioFloor(`${what} a second`, [ours, usualStack], { atLeast: floors.usualStack }),
        ratioFloor(`${what} a second`, [ours, bare], { atLeast: floors.bare }),
      ],
      figures,
    };
  } finally {
    await generator.stop();
    for (const side of sides) await side.stop();
  }
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
