import fc from 'fast-check';
import { beginHistory } from './begin.ts';
import { endHistory, takeStep } from './history.ts';
import { ofOneBank, ofTwoBanks, type Plan } from './plans.ts';
import type { Tally } from './story.ts';
import { type Kind, openWorld, type World } from './world.ts';

export type Runs = {
  runs: number;
  seed: number;
  banks: Kind;
  path?: string | undefined;
  /** Ends with the first failing history, and looks for no shorter one. */
  isBrief?: boolean;
  /** No history starts after this time. */
  seconds?: number | undefined;
  onRun?: (done: number) => void;
  tally: Tally;
};

// The bank's lists grow with every history.
const historiesInAWorld = 60;
const shrinkMs = 30_000;

/**
 * Runs random histories in turn.
 * @returns the story of the shortest failing one
 */
export async function runHistories(options: Runs): Promise<string | undefined> {
  const { runs: numRuns, seed, path, tally, seconds = Number.POSITIVE_INFINITY, onRun = () => {} } = options;
  const { isBrief = false } = options;
  const startedAt = Date.now();
  let endsAt = startedAt + seconds * 1_000;
  let failedAt: number | undefined;
  let done = 0;
  const worlds = openWorlds(options.banks);
  const history = fc.asyncProperty(options.banks === '1' ? ofOneBank : ofTwoBanks, async (plan) => {
    if (Date.now() > endsAt) return;
    try {
      await live(await worlds.next(), plan, tally);
    } catch (error) {
      failedAt ??= Date.now();
      endsAt = failedAt + shrinkMs;
      throw error;
    }
    onRun(++done);
  });
  try {
    const result = await fc.check(history, {
      ...{ numRuns, seed, endOnFailure: isBrief },
      ...(path ? { path } : {}),
    });
    return result.failed ? storyOf(result, options, failedAt! - startedAt) : undefined;
  } finally {
    await worlds.end();
  }
}

function storyOf(result: fc.RunDetails<[Plan]>, { runs, seed, banks }: Runs, afterMs: number): string {
  const { counterexamplePath, errorInstance, numRuns } = result;
  const after = `history ${numRuns} fails, after ${Math.round(afterMs / 1_000)} s`;
  const repeat = `npm run histories -- --runs ${runs} --seed ${seed} --banks ${banks} --path ${counterexamplePath}`;
  return `${after}:\n${messageOf(errorInstance)}\nrepeat it with ${repeat}`;
}

function messageOf(error: unknown): string {
  const { message, stack } = error as Error;
  return message.includes('\n') ? message : String(stack);
}

async function live(world: World, plan: Plan, tally: Tally): Promise<void> {
  const history = await beginHistory(world, plan, tally);
  for (const step of plan.steps) await takeStep(history, step);
  await endHistory(history);
  tally.end(history.subjects);
}

/** A world serves many histories, which have separate payments. */
function openWorlds(banks: Kind) {
  let current: { world: World; histories: number } | undefined;
  let ends: (() => Promise<void>)[] = [];
  const end = async () => {
    for (const one of ends) await one();
    [current, ends] = [undefined, []];
  };
  const next = async () => {
    if (current?.histories === historiesInAWorld) await end();
    current ??= { world: await openWorld({ teardown: (one) => ends.push(one) }, banks), histories: 0 };
    current.histories += 1;
    return current.world;
  };
  return { next, end };
}
