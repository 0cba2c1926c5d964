import type { Ask } from '../ask.ts';
import type { Observations, SeenStore } from '../observations.ts';
import type { Random } from '../random.ts';
import type { Receivers } from '../receivers/receivers.ts';

/** What clients need of the world; `over` is true once no new story should begin. */
export type World = {
  observations: Observations;
  ask: Ask;
  random: Random;
  receivers: Receivers;
  url: string;
  adminUrl: string;
  bankUrl: string;
  /** How long a charge can be paid. */
  expiresMs: number;
  adminKey: string;
  isOver(): boolean;
};

export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A pause in a story, cut short when no more is to come. */
export const rest = async (world: World, ms: number) =>
  void (await until(ms, async () => world.isOver() || undefined));

/** Repeats until there is something; undefined when it takes too long. */
export async function until<T>(
  timeoutMs: number,
  look: () => Promise<T | undefined>,
  everyMs = 300,
): Promise<T | undefined> {
  for (const deadline = Date.now() + timeoutMs; Date.now() < deadline; await pause(everyMs)) {
    const found = await look();
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A store whose token is known; undefined while all of them rotate. */
export function anyStore({ observations, random }: World): (SeenStore & { token: string }) | undefined {
  const usable = observations.stores.filter(({ token }) => token !== undefined);
  return usable.length > 0 ? (random.pick(usable) as SeenStore & { token: string }) : undefined;
}
