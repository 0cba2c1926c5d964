import type { FeedItem, FeedReader, SeenStore } from '../observations.ts';
import { createPayment } from './create.ts';
import { listOwn, readForeign, readOwn } from './read.ts';
import { retryOwed } from './refunds.ts';
import { rotateToken } from './rotate.ts';
import { pause, type World } from './world.ts';

const maxInFlight = 300;
// As many requests wait only where the machine is too slow for the rate.
const maxWaiting = 60;

const actions: [share: number, act: (world: World) => Promise<void>][] = [
  [50, createPayment],
  [29, readOwn],
  [10, listOwn],
  [8, readForeign],
  [2, rotateToken],
  [1, retryOwed],
];
const byShare = actions.flatMap(([share, act]) => Array<(world: World) => Promise<void>>(share).fill(act));

/**
 * Starts `rate` actions a second, independently of each other, until the world is over. None begins while the
 * machine is at its limit: there the system is slow, and nothing is broken.
 * @returns when every started story has ended
 */
export async function runLoad(world: World, rate: number): Promise<void> {
  const inFlight = new Set<Promise<void>>();
  const everyMs = 1_000 / rate;
  let number = 0;
  for (let next = Date.now(); !world.isOver(); next += everyMs) {
    await pause(Math.max(0, next - Date.now()));
    if (inFlight.size >= maxInFlight || world.observations.waiting >= maxWaiting) continue;
    number += 1;
    // A story's random numbers don't depend on the speed of others.
    const random = world.random.fork(String(number));
    const action = random
      .pick(byShare)({ ...world, random })
      .finally(() => inFlight.delete(action));
    inFlight.add(action);
  }
  await Promise.all(inFlight);
}

const betweenMs = 250;
const limit = 50;

/** Follows every store's feed until the world is over. Each reader keeps its cursor, whatever fails. */
export async function followFeeds(world: World): Promise<void> {
  const { stores } = world.observations;
  const follow = async (store: SeenStore) => {
    for (; !world.isOver(); await pause(betweenMs)) await readOn(world, store, store.followed);
  };
  await Promise.all(stores.map(follow));
}

/**
 * Reads a store's feed on from where a reader is. Without an answer, the reader stays there.
 * @returns whether it had more
 */
export async function readOn(world: World, { token }: SeenStore, reader: FeedReader): Promise<boolean> {
  if (token === undefined) return false;
  const after = reader.next === undefined ? '' : `&after=${reader.next}`;
  const path = `/api-public/events?limit=${limit}${after}`;
  const answer = await world.api<{ items: FeedItem[]; next: string }>('feed', path, { token });
  if (answer.status !== 200) return false;
  reader.items.push(...answer.body.items);
  reader.next = answer.body.next;
  return answer.body.items.length > 0;
}
