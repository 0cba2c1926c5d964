import type { FeeTerms, SeenStore } from '../observations.ts';
import type { World } from './world.ts';

const stores = 4;

// A percentage, a fixed fee, a fee above the smallest amounts, and none.
const terms: FeeTerms[] = [
  { feePercent: 1.49, feeFixed: null },
  { feePercent: null, feeFixed: 0.4 },
  { feePercent: 2.7525, feeFixed: 9 },
  { feePercent: null, feeFixed: null },
];

/** Creates the stores of the load: some review large amounts, most pay fees. The last one is a test store. */
export async function openStores(world: World): Promise<void> {
  for (let index = 0; index <= stores; index += 1)
    world.observations.stores.push(await openStore(world, index, index === stores));
}

/** The people who are told what waits for them. */
export const people = [
  { name: 'Olga', email: 'olga@example.com', role: 'owner' },
  { name: 'Otto', email: 'otto@example.com', role: 'operator' },
] as const;

/** Creates the accounts of {@link people}. */
export async function addPeople(world: World): Promise<void> {
  for (const person of people) await admin(world, '/admin/accounts', person);
}

async function openStore(world: World, index: number, test: boolean): Promise<SeenStore> {
  const name = `store-${index}`;
  const reviewAbove = index % 2 === 0 ? 100 : null;
  const fees = terms[index % terms.length]!;
  const { id } = await admin<{ id: string }>(world, '/admin/stores', {
    name,
    reviewAbove,
    test,
    ...fees,
  });
  const { token, id: tokenId } = await admin<{ token: string; id: string }>(
    world,
    `/admin/stores/${id}/tokens`,
    {},
  );
  const { secret } = await admin<{ secret: string }>(world, `/admin/stores/${id}/webhook-secret`);
  return {
    id,
    name,
    test,
    secret,
    reviewAbove,
    ...fees,
    token,
    tokenId,
    unansweredRotations: 0,
    rotatedAt: 0,
    payments: [],
    followed: { next: undefined, items: [] },
  };
}

async function admin<Body>(world: World, path: string, body?: unknown): Promise<Body> {
  const answer = await world.admin<Body>('opening a store', path, body);
  if (answer.status === null || answer.status >= 300)
    throw new Error(`${path} was answered ${answer.status}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}
