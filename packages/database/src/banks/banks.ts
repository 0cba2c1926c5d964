import type { BankError } from '@payments/domain/bank-error';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { Schema, Selected } from '../schema.ts';
import { inTransaction } from '../transaction.ts';

export const bankColumns = [
  'id',
  'psp',
  'knownSince',
  'failingSince',
  'failingUntil',
  'lastError',
  'pausedSince',
  'pausedReason',
  'resumedAt',
] as const;

/** A bank's state, the same for all processes. It counts as failing until `failingUntil`. */
export type KnownBank = Selected<'banks', typeof bankColumns>;

/** Records that these banks are configured. */
export async function recordBanks(
  db: Queryable,
  banks: readonly Pick<Schema['banks'], 'id' | 'psp'>[],
  now: Date,
): Promise<void> {
  await db
    .insertInto('banks')
    .values(banks.map(({ id, psp }) => ({ id, psp, knownSince: now })))
    .onConflict((oc) => oc.column('id').doUpdateSet({ psp: sql`excluded.psp` }))
    .execute();
}

/** @returns every bank that was ever configured */
export async function listKnownBanks(db: Queryable): Promise<KnownBank[]> {
  return db.selectFrom('banks').select(bankColumns).orderBy('id').execute();
}

/** @returns the ids of paused banks. A store's request reads them with its token, by {@link pausedBanks}. */
export async function readPausedBanks(db: Queryable): Promise<string[]> {
  const rows = await db.selectFrom('banks').select('id').where('pausedSince', 'is not', null).execute();
  return rows.map(({ id }) => id);
}

/** The ids of paused banks, as a value in a statement. */
export const pausedBanks = 'array(select id from banks where paused_since is not null)';

export type Failing = { id: string; error: BankError; since: Date; now: Date; forMs: number };

/** Shows a bank as failing for some time. A process that sees it fail calls this again before that is over. */
export async function showFailing(db: Queryable, { id, error, since, now, forMs }: Failing): Promise<void> {
  await db
    .updateTable('banks')
    .set({
      failingSince: sql<Date>`case when failing_until > ${now} then failing_since else ${since}::timestamptz end`,
      failingUntil: new Date(now.getTime() + forMs),
      lastError: error,
    })
    .where('id', '=', id)
    .execute();
}

/**
 * Pauses a bank or, with a null reason, resumes it. No new charge goes to a paused bank; what it has goes on. A bank that
 * is paused already keeps its first reason.
 * @returns whether this changed anything; undefined if no such bank was ever configured
 */
export async function setPaused(
  db: Queryable,
  id: string,
  { reason, now }: { reason: string | null; now: Date },
): Promise<{ isNew: boolean } | undefined> {
  return inTransaction(db, async (trx) => {
    const found = trx.selectFrom('banks').select('pausedSince').where('id', '=', id);
    const bank = await found.forUpdate().executeTakeFirst();
    if (!bank) return undefined;
    if ((bank.pausedSince !== null) === (reason !== null)) return { isNew: false };
    const change =
      reason === null
        ? { pausedSince: null, pausedReason: null, resumedAt: now }
        : { pausedSince: now, pausedReason: reason };
    await trx.updateTable('banks').set(change).where('id', '=', id).execute();
    return { isNew: true };
  });
}
