import { setTimeout as pause } from 'node:timers/promises';
import type { Clients } from '../ask.ts';
import type { Observations, SeenStore } from '../observations.ts';
import type { Random } from '../random.ts';
import type { Receivers } from '../receivers/receivers.ts';

/** The surroundings of the clients. */
export type World = Clients & {
  observations: Observations;
  random: Random;
  receivers: Receivers;
  /** How long a charge can be paid. */
  expiresMs: number;
  /** True when no new story may begin. */
  isOver(): boolean;
};

export { pause };

/** A pause in a story, which ends early when the world is over. */
export const rest = async (world: World, ms: number) =>
  void (await until(ms, async () => world.isOver() || undefined));

/** Repeats until there is a result; undefined if it takes too long. */
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

export type UsableStore = SeenStore & { token: string };

/** @returns a store whose token is known; undefined while all of them rotate */
export function anyStore({ observations, random }: World): UsableStore | undefined {
  const usable = observations.stores.filter((store): store is UsableStore => store.token !== undefined);
  return usable.length > 0 ? random.pick(usable) : undefined;
}
