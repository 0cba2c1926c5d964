import { type Failures, forgottenBefore, waitMs } from '@payments/domain/passwords';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';

/** A place or account that failures are counted for, and how many of them cost no wait. */
export type Counter = { key: Buffer; free: number };

type Claim = Counter & { read: Failures | undefined };

/**
 * Counts a try as failed before its password is looked at, so that tries at the same time can't all be the first. A try
 * that must wait writes nothing and waits for no other's row: floods of them leave no rows and hold no connections.
 * @param counters what many share first: where that must wait, the one who tries leaves no row
 * @returns the milliseconds to wait; 0 if the try may go on
 */
export async function claimAttempt(db: Queryable, counters: readonly Counter[], now: Date): Promise<number> {
  for (;;) {
    const failures = await readFailures(db, counters);
    const claims = counters.map((one) => ({ ...one, read: failures.get(one.key.toString('hex')) }));
    const wait = Math.max(...claims.map(({ read, free }) => (read ? waitMs(read, free, now) : 0)));
    if (wait > 0 || (await claimed(db, claims, now))) return wait;
  }
}

async function readFailures(db: Queryable, counters: readonly Counter[]): Promise<Map<string, Failures>> {
  const rows = await db
    .selectFrom('signInFailures')
    .selectAll()
    .where('key', 'in', [...counters.map(({ key }) => key)])
    .execute();
  return new Map(rows.map(({ key, ...failures }) => [key.toString('hex'), failures]));
}

/**
 * One statement, whose counters count one after the other: a free failure whoever else counts meanwhile, and one that
 * had to wait only if nobody has since it was read.
 * @returns false if somebody has
 */
async function claimed(db: Queryable, claims: readonly Claim[], now: Date): Promise<boolean> {
  const forgotten = forgottenBefore(now);
  const steps = claims.map(({ key, free, read }, index) => {
    const before = index === 0 ? sql`` : sql`from ${sql.ref(`step${index - 1}`)}`;
    return sql`${sql.ref(`step${index}`)} as (
      insert into sign_in_failures as kept (key, count, last_at)
      select ${key}::bytea, 1, ${now}::timestamptz ${before}
      on conflict (key) do update
        set count = case when kept.last_at <= ${forgotten} then 1 else kept.count + 1 end, last_at = excluded.last_at
        where kept.count < ${free} or kept.last_at <= ${forgotten}
          or (kept.count = ${read?.count ?? null} and kept.last_at = ${read?.lastAt ?? null})
      returning key)`;
  });
  const { rows } = await sql`with ${sql.join(steps)}
    select from ${sql.ref(`step${claims.length - 1}`)}`.execute(db);
  return rows.length > 0;
}

/**
 * Removes failures that count no more: whoever invents e-mails leaves a row for each.
 * @returns how many
 */
export async function forgetFailures(
  db: Queryable,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const { numAffectedRows } = await sql`delete from sign_in_failures where key in (
    select key from sign_in_failures where last_at <= ${forgottenBefore(now)}
    order by last_at limit ${limit} for update skip locked)`.execute(db);
  return Number(numAffectedRows);
}

/** Takes a try that was right out of the counts: `forgiven` starts anew, and `shared` loses this try alone. */
export async function forgiveAttempt(
  db: Queryable,
  { forgiven, shared }: { forgiven: Buffer; shared?: Buffer | undefined },
): Promise<void> {
  await db.deleteFrom('signInFailures').where('key', '=', forgiven).execute();
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
