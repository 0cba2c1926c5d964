import { setTimeout as delay } from 'node:timers/promises';
import type { Figure } from './floors.ts';
import type { Bench } from './scenario.ts';

/** @returns the value that the share `p` (0 to 1) of the values does not exceed; NaN without values */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * p) - 1)] ?? Number.NaN;
}

/** @returns the middle value, or the mean of the two in the middle; NaN without values */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
}

/** One side, and a function that measures it once. */
export type Turn = { side: string; run: () => Promise<number> };

// A pause, so that the previous side's remaining work does not disturb the next side.
const restMs = 1_000;

/**
 * Measures the sides in turns (A B A B …), so that a change of the machine's speed affects all of them.
 * @param warmUps rounds that do not count
 * @returns each side's figure, in the order of the turns
 */
export async function inTurns(
  { options, say }: Pick<Bench, 'say'> & { options: { rounds: number } },
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
