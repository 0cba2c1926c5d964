import { remembered, waitMs } from '@payments/domain/sign-in-wait';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { inTransaction } from '../transaction.ts';

/** What failures are counted for, and how many of them cost no wait. */
export type Counter = { key: Buffer; free: number };

const keptMs = 24 * 60 * 60_000;

/**
 * Counts a try as failed before its password is looked at, so that tries at the same time can't all be the first.
 * @returns the milliseconds to wait; 0 if the try may go on
 */
export async function claimAttempt(db: Queryable, counters: readonly Counter[], now: Date): Promise<number> {
  // One order for all, so that two tries never wait for each other's rows.
  const ordered = [...counters].sort((one, other) => one.key.compare(other.key));
  return inTransaction(db, async (trx) => {
    const counts: number[] = [];
    for (const { key, free } of ordered) {
      const { count, lastAt } = await locked(trx, key, now);
      const wait = waitMs({ count, lastAt }, free, now);
      if (wait > 0) return wait;
      counts.push(remembered({ count, lastAt }, now) + 1);
    }
    for (const [index, { key }] of ordered.entries()) {
      const count = counts[index] ?? 1;
      await trx.updateTable('signInFailures').set({ count, lastAt: now }).where('key', '=', key).execute();
    }
    return 0;
  });
}

/** An update locks the row, or makes it anew if a right try has just deleted it. */
async function locked(trx: Queryable, key: Buffer, now: Date): Promise<{ count: number; lastAt: Date }> {
  return trx
    .insertInto('signInFailures')
    .values({ key, count: 0, lastAt: now })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet((eb) => ({ count: eb.ref('signInFailures.count') })),
    )
    .returning(['count', 'lastAt'])
    .executeTakeFirstOrThrow();
}

/** Takes a try that was right out of the counts: `forgiven` starts anew, and `shared` loses this try alone. */
export async function forgiveAttempt(
  db: Queryable,
  { forgiven, shared }: { forgiven: Buffer; shared?: Buffer | undefined },
  now: Date,
): Promise<void> {
  const old = new Date(now.getTime() - keptMs);
  await db
    .deleteFrom('signInFailures')
    .where((eb) => eb.or([eb('key', '=', forgiven), eb('lastAt', '<', old)]))
    .execute();
  if (!shared) return;
  await db
    .updateTable('signInFailures')
    .set({ count: sql`greatest(count - 1, 0)` })
    .where('key', '=', shared)
    .execute();
}

/** @returns which of the places an account has signed in from before */
export async function knownPlaces(db: Queryable, keys: readonly Buffer[]): Promise<Buffer[]> {
  const rows = await db
    .selectFrom('knownPlaces')
    .select('key')
    .where('key', 'in', [...keys])
    .execute();
  return rows.map(({ key }) => key);
}

/** Remembers places of a complete sign-in, and forgets those that were not used since `oldest`. */
export async function rememberPlaces(
  db: Queryable,
  keys: readonly Buffer[],
  { now, oldest }: { now: Date; oldest: Date },
): Promise<void> {
  await db.deleteFrom('knownPlaces').where('seenAt', '<', oldest).execute();
  await db
    .insertInto('knownPlaces')
    .values(keys.map((key) => ({ key, seenAt: now })))
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ seenAt: now }))
    .execute();
}
