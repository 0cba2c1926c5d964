import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from './floors.ts';
import type { Bench } from './scenario.ts';

/** One side, and how it is measured once. */
export type Turn = { side: string; run: () => Promise<number> };

// The work that a side still does for the turn before is not the next side's.
const restMs = 1_000;

/**
 * Measures the sides in turns (A B A B …), so that a change of the machine's speed meets all of them.
 * @param warmUps rounds that are not counted
 * @returns a figure of each side, in the order of the turns
 */
export async function inTurns(
  { options, say }: Bench,
  { what, unit, warmUps = 1 }: { what: string; unit: string; warmUps?: number },
  turns: readonly Turn[],
): Promise<Figure[]> {
  const figures: Figure[] = turns.map(({ side }) => ({ side, what, unit, values: [] }));
  for (let round = 1 - warmUps; round <= options.rounds; round += 1) {
    for (const [index, { side, run }] of turns.entries()) {
      await delay(restMs);
      const value = await run();
      const label = round < 1 ? 'warm-up' : `round ${round} of ${options.rounds}`;
      say(`  ${label}, ${side}: ${value.toPrecision(4)} ${unit}`);
      if (round >= 1) figures[index]!.values.push(value);
    }
  }
  return figures;
}
