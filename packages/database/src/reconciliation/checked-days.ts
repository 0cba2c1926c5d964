import type { DayFigures, Difference, Entry } from '@payments/domain/compare-day';
import { addDays, startOf } from '@payments/domain/days';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { given } from '../filters.ts';
import { isOfKind, type KindFilter } from '../stores/kinds.ts';

/** A bank's day beside ours; amounts in centavos. */
export type CheckedDay = {
  bank: string;
  day: string;
  checkedAt: Date;
  /** Whether what the bank lists of the day was settled just before. */
  settled: boolean;
  atBank: DayFigures;
  ours: DayFigures;
  /** Money of the account that is not ours to explain. */
  others: { count: number; amount: number };
  differences: Difference[];
};

/**
 * Keeps a check of a bank's day. A check that began later stays, unless its time is in the future: a wrong clock wrote that
 * one, and it is replaced.
 * @returns whether it was kept
 */
export async function recordCheckedDay(db: Queryable, checked: CheckedDay, now: Date): Promise<boolean> {
  const { bank, day, checkedAt, settled, differences, ...figures } = checked;
  const found = {
    checkedAt,
    settled,
    differences: differences.length,
    result: JSON.stringify({ ...figures, differences }),
  };
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('reconciliations')
    .values({ bank, day, ...found })
    .onConflict((oc) =>
      oc
        .columns(['bank', 'day'])
        .doUpdateSet(found)
        .where(({ eb, or }) =>
          or([eb('reconciliations.checkedAt', '<=', checkedAt), eb('reconciliations.checkedAt', '>', now)]),
        ),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

export type DayRange = KindFilter & { from: string; to: string; bank?: string | undefined };

/**
 * @returns the checked days of a range, oldest first, each with the banks that were compared, their differences counted,
 * the earliest of their last checks, and whether all of these settled the day before
 */
export async function listCheckedDays(
  db: Queryable,
  { from, to, bank, test }: DayRange,
): Promise<{ date: string; banks: string[]; checkedAt: Date; settled: boolean; differences: number }[]> {
  return db
    .selectFrom('reconciliations')
    .select(['day as date', sql<string[]>`array_agg(bank)`.as('banks')])
    .select(sql<Date>`min(checked_at)`.as('checkedAt'))
    .select(sql<boolean>`bool_and(settled)`.as('settled'))
    .select(sql<number>`sum(differences)::int`.as('differences'))
    .where('day', '>=', from)
    .where('day', '<=', to)
    .where(({ and }) => and(given({ bank })))
    .where(isOfKind(test, { bank: 'bank' }))
    .groupBy('day')
    .orderBy('day')
    .execute();
}

/** @returns the last check of each bank on a day */
export async function findCheckedDay(
  db: Queryable,
  day: string,
  { test }: KindFilter = {},
): Promise<CheckedDay[]> {
  const rows = await db
    .selectFrom('reconciliations')
    .select(['bank', 'day', 'checkedAt', 'settled', 'result'])
    .where('day', '=', day)
    .where(isOfKind(test, { bank: 'bank' }))
    .orderBy('bank')
    .execute();
  return rows.map(({ result, ...about }) => ({ ...about, ...result }));
}

export type OurDay = { bank: string; since: Date; until: Date };

const isOfItsDay = sql<boolean>`(payment_id is not null or unmatched = 'returned')`;

/**
 * @returns what we have on record of a bank in a range of time: Pix by the time of the Pix, returns by the time when they
 * were made. A Pix that fits no payment counts when all of it has gone back
 */
export async function readOurDay(db: Queryable, { bank, since, until }: OurDay): Promise<Entry[]> {
  const pix = await db
    .selectFrom('pixReceived')
    .select(['endToEndId', 'amount', 'paymentId', 'txid'])
    .where('bank', '=', bank)
    .where('paidAt', '>=', since)
    .where('paidAt', '<', until)
    .where(isOfItsDay)
    .orderBy('paidAt')
    .execute();
  const refunds = await db
    .selectFrom('refunds')
    .select(['endToEndId', 'id as refundId', 'amount', 'paymentId'])
    .where('bank', '=', bank)
    .where('madeAt', '>=', since)
    .where('madeAt', '<', until)
    .orderBy('madeAt')
    .execute();
  return [...pix, ...refunds];
}

/** @returns the days on which {@link readOurDay} finds anything of the bank */
export async function findOurDays(db: Queryable, bank: string, days: readonly string[]): Promise<string[]> {
  const [begins, ends] = [days.map(startOf), days.map((day) => startOf(addDays(day, 1)))];
  // In the order of its index, a day without any costs one look: no plan reads the table for it.
  const { rows } = await sql<{ day: string }>`
    select day from unnest(${days}::text[], ${begins}::timestamptz[], ${ends}::timestamptz[]) as days (day, since, until)
    where coalesce(
      (select true from pix_received where bank = ${bank} and paid_at >= since and paid_at < until and ${isOfItsDay}
        order by paid_at limit 1),
      (select true from refunds where bank = ${bank} and made_at >= since and made_at < until
        order by made_at limit 1))`.execute(db);
  return rows.map(({ day }) => day);
}

/** @returns the time of the oldest Pix on record of which something went back in this range; undefined if there is none */
export async function findOldestReturned(
  db: Queryable,
  { bank, since, until }: OurDay,
): Promise<Date | undefined> {
  const oldest = await db
    .selectFrom('refunds')
    .innerJoin('pixReceived', 'pixReceived.endToEndId', 'refunds.endToEndId')
    .select('paidAt')
    .where('refunds.bank', '=', bank)
    .where('madeAt', '>=', since)
    .where('madeAt', '<', until)
    .orderBy('paidAt')
    .limit(1)
    .executeTakeFirst();
  return oldest?.paidAt;
}
