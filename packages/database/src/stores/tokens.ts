import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { Schema, Selected } from '../schema.ts';
import { inTransaction } from '../transaction.ts';
import { lockStore } from './stores.ts';

const columns = ['id', 'createdAt', 'expiresAt', 'deactivatedAt', 'supersededAt', 'lastUsedAt'] as const;

/** A token without its secret; `lastUsedAt` is exact to about ten seconds. */
export type Token = Selected<'tokens', typeof columns>;

export type NewTokenRow = Pick<Schema['tokens'], 'id' | 'storeId' | 'hash' | 'createdAt' | 'expiresAt'>;

/**
 * Makes this the store's only valid token. Rotations of one store queue on its row, so concurrent ones leave exactly
 * one valid token.
 * @returns false if there is no such store
 */
export async function rotateToken(db: Queryable, token: NewTokenRow): Promise<boolean> {
  const { storeId, createdAt } = token;
  return inTransaction(db, async (trx) => {
    if (!(await lockStore(trx, storeId))) return false;
    await trx
      .updateTable('tokens')
      .set({ supersededAt: createdAt })
      .where('storeId', '=', storeId)
      .where('supersededAt', 'is', null)
      .execute();
    await trx.insertInto('tokens').values(token).execute();
    return true;
  });
}

/** @returns the id of the store's newest token, in whatever state; null before the first */
export async function findNewestToken(db: Queryable, storeId: string): Promise<string | null> {
  const newest = db.selectFrom('tokens').select('id').where('storeId', '=', storeId);
  return (await newest.where('supersededAt', 'is', null).executeTakeFirst())?.id ?? null;
}

export type TokenTimes = Pick<Schema['tokens'], 'supersededAt' | 'deactivatedAt' | 'expiresAt'>;

/** @returns when a store's token ended, or ends; undefined if the store has no such token */
export async function findTokenTimes(
  db: Queryable,
  { id, storeId }: Pick<Schema['tokens'], 'id' | 'storeId'>,
): Promise<TokenTimes | undefined> {
  return db
    .selectFrom('tokens')
    .select(['supersededAt', 'deactivatedAt', 'expiresAt'])
    .where('id', '=', id)
    .where('storeId', '=', storeId)
    .executeTakeFirst();
}

// Nothing deletes a token, and only the newest one works.
const listed = 100;

/** @returns the store's newest tokens without their secrets, newest first */
export async function listTokens(db: Queryable, storeId: string): Promise<Token[]> {
  return db
    .selectFrom('tokens')
    .select(columns)
    .where('storeId', '=', storeId)
    .orderBy('id', 'desc')
    .limit(listed)
    .execute();
}

/** @returns whether this ended the token, or an earlier call did; undefined if the store has no such token */
export async function deactivateToken(
  db: Queryable,
  { id, storeId, now }: { id: string; storeId: string; now: Date },
): Promise<{ isNew: boolean } | undefined> {
  return inTransaction(db, async (trx) => {
    const token = await trx
      .selectFrom('tokens')
      .select('deactivatedAt')
      .where('id', '=', id)
      .where('storeId', '=', storeId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    if (!token) return undefined;
    if (token.deactivatedAt) return { isNew: false };
    await trx.updateTable('tokens').set({ deactivatedAt: now }).where('id', '=', id).execute();
    return { isNew: true };
  });
}

/**
 * Records the last uses of many tokens in one statement; a later time from another replica stays. Rows are locked in
 * the order of their ids, which prevents deadlocks.
 */
export async function recordTokenUses(db: Queryable, uses: ReadonlyMap<string, Date>): Promise<void> {
  const [ids, times] = [[...uses.keys()], [...uses.values()]];
  await sql`
    with used as (
      select t.id, u.at from unnest(${ids}::uuid[], ${times}::timestamptz[]) as u (id, at)
      join tokens t on t.id = u.id
      where t.last_used_at is null or t.last_used_at < u.at
      order by t.id for no key update of t
    )
    update tokens t set last_used_at = used.at from used where t.id = used.id`.execute(db);
}
