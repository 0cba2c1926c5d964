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
  'lastPausedAt',
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
 * Pauses a bank: no new charge goes there, and what it has goes on. A bank that is paused already stays so since then, and
 * the reason is added to the first: whoever resumes it must read both.
 * @returns whether it was not paused before; undefined if no such bank was ever configured
 */
export async function startPause(
  db: Queryable,
  id: string,
  { reason, now }: { reason: string; now: Date },
): Promise<{ isNew: boolean } | undefined> {
  return inTransaction(db, async (trx) => {
    const bank = await lockPause(trx, id);
    if (!bank) return undefined;
    const { pausedSince, pausedReason } = bank;
    const said = withReason(pausedReason, reason);
    const change = { pausedSince: pausedSince ?? now, pausedReason: said, lastPausedAt: now };
    await trx.updateTable('banks').set(change).where('id', '=', id).execute();
    return { isNew: pausedSince === null };
  });
}

/**
 * Ends a bank's pause.
 * @param shown the last pause that a page showed, by its time as ISO text: no later one is ended; absent for any
 * @returns the outcome; undefined if no such bank was ever configured
 */
export async function endPause(
  db: Queryable,
  id: string,
  { shown, now }: { shown?: string | undefined; now: Date },
): Promise<'ended' | 'notPaused' | 'notAsShown' | undefined> {
  return inTransaction(db, async (trx) => {
    const bank = await lockPause(trx, id);
    if (!bank) return undefined;
    if (bank.pausedSince === null) return 'notPaused';
    if (shown !== undefined && shown !== bank.lastPausedAt?.toISOString()) return 'notAsShown';
    const change = { pausedSince: null, pausedReason: null, resumedAt: now };
    await trx.updateTable('banks').set(change).where('id', '=', id).execute();
    return 'ended';
  });
}

type Pause = Pick<KnownBank, 'pausedSince' | 'pausedReason' | 'lastPausedAt'>;

function lockPause(trx: Queryable, id: string): Promise<Pause | undefined> {
  const found = trx
    .selectFrom('banks')
    .select(['pausedSince', 'pausedReason', 'lastPausedAt'])
    .where('id', '=', id);
  return found.forUpdate().executeTakeFirst();
}

// A program may pause a bank every minute, and every process reads this row. The record has every reason.
const longestReasons = 8_000;

/** @returns the pause's reasons, the first one first, each on lines of its own; without room for all, the first and the last */
function withReason(said: string | null, reason: string): string {
  if (said === null) return reason;
  if (`\n${said}\n`.includes(`\n${reason}\n`)) return said;
  const all = `${said}\n${reason}`;
  return all.length <= longestReasons ? all : `${said.split('\n')[0]}\n…\n${reason}`;
}
