import { CheckFailed } from './failure.ts';
import type { State, Step } from './state.ts';

const hourMs = 60 * 60_000;

/** Finds out which ranges the bank lists. Lists find every Pix whose callback got lost. */
export const listSteps: Step[] = [
  {
    name: 'lists',
    advice: 'Say in PIX_NOTHING how the bank answers for an empty list, and in PIX_PATHS where lists are.',
    run: async (state) => {
      const longest = state.client.longestListMs;
      // A day takes a second less, since a list is asked for in whole seconds.
      const ranges = [...new Set([hourMs, 24 * hourMs - 1_000, longest])].filter((range) => range <= longest);
      const seen: string[] = [];
      for (const range of ranges) seen.push(`${inWords(range)}: ${await countOf(state, range, seen)}`);
      return seen.join('; ');
    },
  },
];

async function countOf({ client, now }: State, rangeMs: number, seen: string[]): Promise<string> {
  const to = now();
  const range = { from: new Date(to.getTime() - rangeMs), to, page: 0 };
  try {
    const { pix, pages, unreadable } = await client.listPix(range);
    if (unreadable.length > 0)
      throw new CheckFailed(`${unreadable.length} Pix can't be read`, 'Send the list to us.');
    return `${pix.length}${pages > 1 ? ' on the first page' : ''} Pix`;
  } catch (error) {
    if (seen.length === 0 || error instanceof CheckFailed) throw error;
    const advice = 'The bank lists shorter ranges only: set PIX_LIST_DAYS.';
    throw new CheckFailed(`${inWords(rangeMs)}: ${(error as Error).message}`, advice, 'listPix');
  }
}

function inWords(ms: number): string {
  if (ms === hourMs) return 'an hour';
  const days = Math.ceil(ms / (24 * hourMs));
  return days === 1 ? 'a day' : `${days} days`;
}
