import type { Answer } from '../ask.ts';
import { breach, type SeenStore } from '../observations.ts';
import { isSupersededByUnanswered } from './rotate.ts';
import type { World } from './world.ts';

/** Judges a 4xx to a valid request: only an overlapping rotation excuses a 401. */
export async function judgeRefusal(
  world: World,
  store: SeenStore,
  answer: Answer<unknown>,
  what: string,
): Promise<void> {
  if (answer.status === null || answer.status < 400 || answer.status >= 500) return;
  if (answer.status === 401 && (store.token === undefined || store.rotatedAt >= answer.from - 100)) return;
  if (answer.status === 401 && (await isSupersededByUnanswered(world, store))) return;
  const promise = answer.status === 401 ? 5 : answer.status === 404 ? 1 : 7;
  const says = `${what} of ${store.name} was refused: ${answer.status} ${JSON.stringify(answer.body)}`;
  breach(world.observations, promise, says);
}
