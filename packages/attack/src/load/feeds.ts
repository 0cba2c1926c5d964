import type { FeedItem, FeedReader, SeenStore } from '../observations.ts';
import { pause, type World } from './world.ts';

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
