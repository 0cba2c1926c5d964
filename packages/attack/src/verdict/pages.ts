import type { World } from '../load/world.ts';

const pageLimit = 200;

/** @returns all that a list shows, page after page */
export async function listAll<Item>(world: World, url: string, token: string | undefined): Promise<Item[]> {
  const all: Item[] = [];
  for (let page = 1; ; page += 1) {
    const address = `${url}?limit=${pageLimit}&page=${page}`;
    const { items } = await ask<{ items: Item[] }>(world, address, token);
    all.push(...items);
    if (items.length < pageLimit) return all;
  }
}

/** @throws when it is not answered with 200 */
export async function ask<Body>(world: World, url: string, token?: string): Promise<Body> {
  const answer = await world.ask<Body>('gather', url, token === undefined ? {} : { token });
  if (answer.status !== 200) throw new Error(`${url} was answered ${answer.status} when all was over`);
  return answer.body;
}
