import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { Page } from '../payments/pages.ts';
import type { ChargeProblemsTable } from '../schema.ts';

/** The work on a charge: settling it, closing it after its expiry, or cancelling it. */
export type ChargeWork = ChargeProblemsTable['work'];

/** Work on a charge that keeps failing. */
export type ChargeProblem = {
  txid: string;
  work: ChargeWork;
  paymentId: string | null;
  error: string;
  tries: number;
  since: Date;
  tryAt: Date | null;
};

const columns = [
  'txid',
  'work',
  'payment_id as paymentId',
  'error',
  'tries',
  'since',
  'try_at as tryAt',
] as const;

export type FailedWork = {
  txid: string;
  work: ChargeWork;
  paymentId: string | null;
  error: string;
  now: Date;
  /** Pix that somebody says are of the charge: kept, and looked for at each try. */
  endToEndIds?: readonly string[];
  /** The pauses after which it is settled again, doubling; without them the payment's own schedule says when. */
  pauses?: { firstMs: number; longestMs: number };
};

/** Notes that work on a charge failed. @returns how often it has by now */
export async function recordChargeProblem(db: Queryable, failed: FailedWork): Promise<number> {
  const { txid, work, paymentId, error, now, endToEndIds = [], pauses } = failed;
  const tryAt = (tries: ReturnType<typeof sql>) =>
    pauses
      ? sql`${now}::timestamptz + least(${pauses.longestMs}::float8, ${pauses.firstMs} * power(2, ${tries} - 1))
          * interval '1 millisecond'`
      : sql`null`;
  const { rows } = await sql<{ tries: number }>`
    insert into charge_problems as p (txid, work, payment_id, error, since, end_to_end_ids, try_at)
    values (${txid}, ${work}, ${paymentId}, ${error}, ${now}, ${[...endToEndIds]}::text[], ${tryAt(sql`1`)})
    on conflict (txid, work) do update set
      error = excluded.error,
      tries = p.tries + 1,
      end_to_end_ids = array(select distinct unnest(p.end_to_end_ids || excluded.end_to_end_ids)),
      try_at = ${tryAt(sql`least(p.tries + 1, 30)`)}
    returning tries`.execute(db);
  return rows[0]!.tries;
}

/** Ends what was noted of work that the payment no longer needs: it was paid, closed or cancelled another way. */
export async function endProblemsOfOthers(db: Queryable): Promise<void> {
  await sql`
    delete from charge_problems c
    using payments p
    where p.id = c.payment_id
      and ((c.work = 'expire' and p.status <> 'pending') or (c.work = 'cancel' and p.charge_state <> 'cancelling'))
  `.execute(db);
}

/** Notes that the work has succeeded, or is not needed any more. */
export async function endChargeProblem(db: Queryable, txid: string, work: ChargeWork): Promise<void> {
  await db.deleteFrom('charge_problems').where('txid', '=', txid).where('work', '=', work).execute();
}

export type SetAside = { txid: string; endToEndIds: string[] };

/** Claims charges that were set aside and are due to be settled again; the lease is `try_at`, which no other work has. */
export async function claimChargesSetAside(
  db: Queryable,
  { limit, leaseMs, now }: { limit: number; leaseMs: number; now: Date },
): Promise<SetAside[]> {
  const { rows } = await sql<SetAside>`
    with due as (
      select txid from charge_problems
      where try_at <= ${now}
      order by try_at
      limit ${limit}
      for update skip locked
    )
    update charge_problems set try_at = ${new Date(now.getTime() + leaseMs)}
    where txid = any(array(select txid from due)) and work = 'settle'
    returning txid, end_to_end_ids as "endToEndIds"`.execute(db);
  return rows;
}

/** @returns those of these charges that were set aside */
export async function findChargesSetAside(db: Queryable, txids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ txid: string }>`
    select txid from charge_problems
    where txid = any(${[...txids]}::text[]) and work = 'settle'`.execute(db);
  return rows.map(({ txid }) => txid);
}

/** @returns the problems of one payment's charge */
export async function listChargeProblemsOf(db: Queryable, paymentId: string): Promise<ChargeProblem[]> {
  return db
    .selectFrom('charge_problems')
    .select(columns)
    .where('payment_id', '=', paymentId)
    .orderBy('since')
    .execute();
}

/** @returns one page of the charges on which work keeps failing, oldest first, and how many there are */
export async function listChargeProblems(
  db: Queryable,
  { page, limit }: Page,
): Promise<{ items: ChargeProblem[]; total: number }> {
  const { total } = await db
    .selectFrom('charge_problems')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  const items = await db
    .selectFrom('charge_problems')
    .select(columns)
    .orderBy('since')
    .orderBy('txid')
    .limit(limit)
    .offset((page - 1) * limit)
    .execute();
  return { items, total };
}
