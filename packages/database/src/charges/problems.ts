import type { RefundState } from '@payments/domain/refunds';
import { type RawBuilder, sql } from 'kysely';
import { endOf, isFreeOf, type LeaseAtBank } from '../claims.ts';
import type { Queryable } from '../connection.ts';
import { anyOf, given, type Page, type Paged, readPage } from '../filters.ts';
import type { Schema, Selected } from '../schema.ts';
import { isOfKind, type KindFilter } from '../stores/kinds.ts';

/** The work on a charge: registering it, settling it, closing it after its expiry, or cancelling it. */
export type ChargeWork = Schema['chargeProblems']['work'];

const columns = ['bank', 'txid', 'work', 'paymentId', 'error', 'tries', 'since', 'tryAt'] as const;
const toldColumns = ['endToEndIds', 'returns', 'pixTold'] as const;

/**
 * A return of a Pix that the bank told of. Its id is null if that could not be read: only its Pix is known, and how many
 * returns that had (`of`).
 */
export type ToldReturn = { endToEndId: string; id: string | null; state: RefundState; of?: number };

/** Work on a charge that keeps failing. */
export type ChargeProblem = Selected<'chargeProblems', typeof columns>;

export type FailedWork = Pick<ChargeProblem, 'bank' | 'txid' | 'work' | 'paymentId' | 'error'> & {
  now: Date;
  /** Pix and returns that the bank told of. They are kept until they are on record. */
  endToEndIds?: readonly string[];
  returns?: readonly ToldReturn[];
  /** How many Pix it told of where it did not name each. */
  pixTold?: number;
  /** True if the bank responded, and did not show the charge. */
  isLook?: boolean;
  /** True if the bank showed the charge: the looks begin anew. */
  isShown?: boolean;
  /** The pauses between tries, doubling. Without them the payment's own schedule decides. */
  pauses?: { firstMs: number; longestMs: number };
};

/**
 * Records a failure of work on a charge.
 * @returns the number of failures so far, and of the bank's responses in a row that did not show the charge
 */
export async function recordChargeProblem(
  db: Queryable,
  failed: FailedWork,
): Promise<{ tries: number; looks: number }> {
  const { bank, txid, work, paymentId, error, now, pauses, isLook = false } = failed;
  const { endToEndIds = [], returns = [], pixTold = 0 } = failed;
  return db
    .insertInto('chargeProblems')
    .values({
      bank,
      txid,
      work,
      paymentId,
      error,
      since: now,
      looks: isLook ? 1 : 0,
      endToEndIds: [...endToEndIds],
      returns: asJson(returns),
      pixTold,
      tryAt: pauses ? new Date(now.getTime() + pauses.firstMs) : null,
    })
    .onConflict((oc) =>
      oc.columns(['bank', 'txid', 'work']).doUpdateSet({
        error,
        tries: sql`charge_problems.tries + 1`,
        looks: looksAfter(failed),
        ...alsoTold,
        tryAt: pauses ? afterPause(now, pauses) : null,
      }),
    )
    .returning(['tries', 'looks'])
    .executeTakeFirstOrThrow();
}

/** A failure without a response of the bank says nothing of the charge. */
function looksAfter({ isLook, isShown }: FailedWork) {
  if (isShown) return 0;
  return isLook ? sql<number>`charge_problems.looks + 1` : sql<number>`charge_problems.looks`;
}

const asJson = (returns: readonly ToldReturn[]) => sql<ToldReturn[]>`${JSON.stringify(returns)}::jsonb`;

/** The told Pix and returns of the row and of the excluded one, each once. */
const alsoTold = {
  endToEndIds: sql<string[]>`array(
    select distinct unnest(charge_problems.end_to_end_ids || excluded.end_to_end_ids))`,
  returns: sql<ToldReturn[]>`array_to_json(array(
    select distinct jsonb_array_elements(charge_problems.returns || excluded.returns)))::jsonb`,
  pixTold: sql<number>`greatest(charge_problems.pix_told, excluded.pix_told)`,
};

/** @returns the time of the next try: the pause doubles with every try, up to the longest */
function afterPause(now: Date, { firstMs, longestMs }: NonNullable<FailedWork['pauses']>) {
  return sql<Date>`${now}::timestamptz
    + least(${longestMs}::float8, ${firstMs} * power(2, least(charge_problems.tries, 30))) * interval '1 millisecond'`;
}

/** Deletes problems with work that the payment no longer needs: it was paid, closed, cancelled or registered otherwise. */
export async function endProblemsOfOthers(db: Queryable): Promise<void> {
  await sql`
    delete from charge_problems c
    using payments p
    where p.id = c.payment_id
      and ((c.work = 'expire' and p.status <> 'pending') or (c.work = 'cancel' and p.charge_state <> 'cancelling')
        or (c.work = 'register' and (p.charge_state <> 'unregistered' or p.bank is not null)))
  `.execute(db);
}

/** Deletes a problem: the work has succeeded or is no longer needed. */
export async function endChargeProblem(
  db: Queryable,
  { bank, txid, work }: Pick<ChargeProblem, 'bank' | 'txid' | 'work'>,
): Promise<void> {
  await db
    .deleteFrom('chargeProblems')
    .where(({ and }) => and({ bank, txid, work }))
    .execute();
}

/** A charge at a bank, and what the bank told of it. */
export type ToldOfCharge = Pick<ChargeProblem, 'bank' | 'txid'> & {
  endToEndIds: readonly string[];
  returns?: readonly ToldReturn[];
  pixTold?: number;
};

/**
 * Keeps what the bank told of a charge while it can't be asked. That says nothing of the charge, so it counts no try and
 * lengthens no pause.
 */
export async function keepToldOfCharge(
  db: Queryable,
  {
    returns = [],
    endToEndIds,
    pixTold = 0,
    ...kept
  }: Omit<FailedWork, 'work' | 'now' | 'pauses' | 'isLook'> & {
    since: Date;
    tryAt: Date;
  },
): Promise<void> {
  await db
    .insertInto('chargeProblems')
    .values({
      ...kept,
      work: 'settle',
      tries: 0,
      endToEndIds: [...(endToEndIds ?? [])],
      returns: asJson(returns),
      pixTold,
    })
    .onConflict((oc) =>
      oc.columns(['bank', 'txid', 'work']).doUpdateSet({
        ...alsoTold,
        tryAt: sql<Date>`least(charge_problems.try_at, excluded.try_at)`,
      }),
    )
    .execute();
}

/**
 * Keeps what the bank told of a charge that is set aside already. Anything new makes the charge due at once. Responses that
 * did not show its returns count no more once these are told again.
 */
export async function tellOfChargeSetAside(
  db: Queryable,
  { now, ...told }: ToldOfCharge & { now: Date },
): Promise<void> {
  const { bank, txid } = told;
  const facts = factsOf(told);
  const isKept = isWithin(facts, keptFacts);
  const tellsReturns = sql<boolean>`${(told.returns ?? []).length > 0}::boolean`;
  await sql`
    update charge_problems
    set end_to_end_ids = array(select distinct unnest(end_to_end_ids || ${facts.pix})),
      returns = array_to_json(array(
        select distinct jsonb_array_elements(returns || ${facts.returns})))::jsonb,
      pix_told = greatest(pix_told, ${facts.pixTold}),
      looks = case when ${tellsReturns} then 0 else looks end,
      try_at = case when ${isKept} then try_at else least(try_at, ${now}) end
    where bank = ${bank} and txid = ${txid} and work = 'settle'
      and (not ${isKept} or (looks > 0 and ${tellsReturns}))`.execute(db);
}

/**
 * Deletes the problem of a charge that is settled.
 * @param looks given for one whose missing returns are believed gone: the responses in a row that did not show them
 * @returns false if the bank told of more than this meanwhile, or of these returns again: the problem stays
 */
export async function endSettledCharge(
  db: Queryable,
  { bank, txid, ...told }: ToldOfCharge,
  looks?: number,
): Promise<boolean> {
  const isAll = isWithin(keptFacts, factsOf(told));
  const { numDeletedRows } = await db
    .deleteFrom('chargeProblems')
    .where(({ and }) => and(given({ bank, txid, work: 'settle' as const, looks })))
    .where(isAll)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

type Facts = Record<'pix' | 'returns' | 'pixTold', RawBuilder<unknown>>;

/** The facts that are kept in the row. */
const keptFacts: Facts = { pix: sql`end_to_end_ids`, returns: sql`returns`, pixTold: sql`pix_told` };

function factsOf({ endToEndIds, returns = [], pixTold = 0 }: Omit<ToldOfCharge, 'bank' | 'txid'>): Facts {
  return {
    pix: sql`${[...endToEndIds]}::text[]`,
    returns: asJson(returns),
    pixTold: sql`${pixTold}::integer`,
  };
}

/** @returns SQL: whether these facts are all among those */
function isWithin(these: Facts, those: Facts) {
  return sql<boolean>`(${these.pix} <@ ${those.pix} and ${these.returns} <@ ${those.returns}
    and ${these.pixTold} <= ${those.pixTold})`;
}

/** @returns what the bank told of a charge that is set aside; undefined if it is not */
export async function findChargeTold(
  db: Queryable,
  { bank, txid }: Pick<ChargeProblem, 'bank' | 'txid'>,
): Promise<Selected<'chargeProblems', typeof toldColumns> | undefined> {
  return db
    .selectFrom('chargeProblems')
    .select(toldColumns)
    .where(({ and }) => and({ bank, txid, work: 'settle' }))
    .executeTakeFirst();
}

/** Claims charges that were set aside and are due again. The lease is `try_at`. */
export async function claimChargesSetAside(
  db: Queryable,
  lease: LeaseAtBank,
): Promise<Selected<'chargeProblems', readonly ['txid', 'looks', ...typeof toldColumns]>[]> {
  const ofBank = db.selectFrom('chargeProblems').where('bank', '=', lease.bank).where('work', '=', 'settle');
  const due = ofBank.where('tryAt', '<=', lease.now).orderBy('tryAt').limit(lease.limit);
  return db
    .updateTable('chargeProblems')
    .set({ tryAt: endOf(lease) })
    .where(isFreeOf(due))
    .returning(['txid', 'looks', ...toldColumns])
    .execute();
}

/** @returns those of these charges at a bank that failed by themselves, and have their own pauses */
export async function findChargesSetAside(
  db: Queryable,
  bank: string,
  txids: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('chargeProblems')
    .select('txid')
    .where(({ and }) => and({ bank, work: 'settle' }))
    .where('txid', '=', anyOf(txids))
    .where('tries', '>', 0)
    .execute();
  return new Set(rows.map(({ txid }) => txid));
}

/** @returns the problems of one payment's charge */
export async function listChargeProblemsOf(db: Queryable, paymentId: string): Promise<ChargeProblem[]> {
  return problems(db).where('paymentId', '=', paymentId).execute();
}

/** @returns one page of the charges on which work keeps failing, oldest first, and how many there are */
export async function listChargeProblems(
  db: Queryable,
  page: Page,
  { test }: KindFilter = {},
): Promise<Paged<ChargeProblem>> {
  return readPage(problems(db).where(isOfKind(test, { bank: 'bank' })), page);
}

function problems(db: Queryable) {
  return db.selectFrom('chargeProblems').select(columns).orderBy('since').orderBy('txid');
}
