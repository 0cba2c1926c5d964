import { breach, count, type SeenStore } from '../observations.ts';
import { anyStore, until, type World } from './world.ts';

const patienceMs = 120_000;
const checks = 4;
const superseded = 'Apenas o token mais recente é válido.';

type NewToken = { id: string; token: string };
type TokenShown = { id: string; supersededAt: string | null };

/** Rotates a store's token. After the response, every replica must refuse the old token and accept the new one. */
export async function rotateToken(world: World): Promise<void> {
  const store = anyStore(world);
  if (!store) return;
  const { token: old } = store;
  await takeNewToken(world, store);
  const { token } = store;
  if (token === undefined) return;
  for (let check = 0; check < checks; check += 1) {
    await expect(world, store, old, 401);
    await expect(world, store, token, 200);
  }
}

async function takeNewToken(world: World, store: SeenStore): Promise<void> {
  store.token = undefined;
  store.rotatedAt = Date.now();
  const made = await until(patienceMs, () => askForToken(world, store));
  store.rotatedAt = Date.now();
  if (!made) return;
  store.tokenId = made.id;
  store.token = made.token;
  count(world.observations, 'tokens rotated');
}

async function askForToken({ admin }: World, store: SeenStore): Promise<NewToken | undefined> {
  const answer = await admin<NewToken>('rotate', `/admin/stores/${store.id}/tokens`, {});
  if (answer.status === 201) return answer.body;
  store.unansweredRotations += 1;
  return undefined;
}

/**
 * Explains why the newest known token is refused: an earlier rotation without a response took effect after it. Then the
 * store rotates once more.
 * @returns whether that was the reason
 */
export async function isSupersededByUnanswered(world: World, store: SeenStore): Promise<boolean> {
  const { tokenId } = store;
  if (store.token === undefined) return true;
  const path = `/admin/stores/${store.id}/tokens`;
  const answer = await world.admin<TokenShown[] | { items: TokenShown[] }>('look', path);
  // Another client may have seen the same, and rotated, meanwhile.
  if (store.token === undefined || store.tokenId !== tokenId || answer.status !== 200) return true;
  const tokens = 'items' in answer.body ? answer.body.items : answer.body;
  const current = tokens.find(({ supersededAt }) => supersededAt === null);
  if (!current || current.id === store.tokenId || store.unansweredRotations === 0) return false;
  store.unansweredRotations -= 1;
  await takeNewToken(world, store);
  return true;
}

async function expect(world: World, store: SeenStore, token: string, status: number): Promise<void> {
  const path = '/api-public/payments?limit=1';
  const answer = await world.api<{ message?: string }>('check a token', path, { token });
  if (answer.status === null || answer.status >= 500) return;
  // Another client may have rotated meanwhile: then this token is not the newest.
  if (status === 200 && (store.token !== token || store.rotatedAt > answer.from)) return;
  if (answer.status === status && (status === 200 || answer.body.message === superseded)) return;
  if (status === 200 && (await isSupersededByUnanswered(world, store))) return;
  const which = status === 200 ? 'the newest token' : 'a superseded token';
  const says = `${which} of ${store.name} was answered ${answer.status} ${answer.body.message ?? ''}`;
  breach(world.observations, 5, says);
}
