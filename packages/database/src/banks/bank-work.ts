import { testBank } from '@payments/domain/route-charge';
import { sql } from 'kysely';
import type { Database, Queryable } from '../connection.ts';
import { bankColumns, type KnownBank } from './banks.ts';

/** A bank with what it has today, and whether anything is still to be done at it; the amount in centavos. */
export type BankAtWork = KnownBank & { chargesToday: number; amountToday: number; isOpen: boolean };

// Each part reads one row by an index, or the few charges that no bank has. With `exists`, the planner would join all
// pending payments with the banks, since it expects hundreds of banks and, from old statistics, few such payments.
const isOpen = sql<boolean>`coalesce(
  (select true from payments p where p.bank = b.id and p.status = 'pending' order by p.expiry_check_at limit 1),
  (select true from payments p where p.bank = b.id and p.charge_try_at is not null order by p.test, p.charge_try_at limit 1),
  (select true from payments p join stores s on s.id = p.store_id
    where p.bank is null and p.charge_try_at is not null
      and case when p.test then b.id = ${testBank} else b.id = any(s.banks) end
    order by p.test, p.charge_try_at limit 1),
  (select true from payments p where p.bank = b.id and p.review_since is not null order by p.review_since limit 1),
  (select true from refunds r where r.bank = b.id and r.try_at is not null order by r.try_at limit 1),
  (select true from refunds r where r.bank = b.id and r.order_again_at is not null order by r.order_again_at limit 1),
  (select true from refunds r where r.bank = b.id and r.owed is not null order by r.created_at limit 1),
  (select true from charge_problems c where c.bank = b.id limit 1),
  (select true from unheard_charges u where u.bank = b.id order by u.try_at limit 1),
  false)`;

/**
 * @param since the start of the day
 * @returns every bank that was ever configured
 */
export async function listBanksAtWork(db: Queryable, since: Date): Promise<BankAtWork[]> {
  const today = db
    .selectFrom('payments')
    .select(['bank', sql<number>`count(*)`.as('charges'), sql<number>`sum(charged)::bigint`.as('amount')])
    .where('registeredAt', '>=', since)
    .groupBy('bank');
  return db
    .selectFrom('banks as b')
    .leftJoin(today.as('today'), 'today.bank', 'b.id')
    .select([...bankColumns, isOpen.as('isOpen')])
    .select(({ fn, lit }) => fn.coalesce('charges', lit(0)).as('chargesToday'))
    .select(({ fn, lit }) => fn.coalesce('today.amount', lit(0)).as('amountToday'))
    .orderBy('id')
    .execute();
}

/** A bank as all replicas see it; a time is null for none. */
export type BankWait = {
  id: string;
  pausedSince: Date | null;
  /** When the oldest charge was asked for that the bank may have taken, while the payment became another bank's. */
  unheardSince: Date | null;
  isOpen: boolean;
};

/**
 * @returns what waits at every bank that was ever configured
 * @throws DatabaseUnavailable, also after `timeoutMs`
 */
export async function readBankWaits(db: Database, timeoutMs: number): Promise<BankWait[]> {
  return db.transaction().execute(async (trx) => {
    await sql`select set_config('statement_timeout', ${String(timeoutMs)}, true)`.execute(trx);
    return (await waits.execute(trx)).rows;
  });
}

const waits = sql<BankWait>`
    select b.id, b.paused_since, ${isOpen} as "isOpen", (
      select min(asked_at) from (
        select payment_id, asked_at from unheard_charges u where u.bank = b.id order by try_at limit 1000
      ) head join payments p on p.id = payment_id
      where p.bank <> b.id or p.charge_state = 'closed'
    ) as "unheardSince"
    from banks b order by b.id`;

/** Charges of the stores with these banks (null for all) that no bank has taken yet. */
export type Waiting = { test: boolean; banks: string[] | null; charges: number };

/** @returns the charges that wait for a code, by the banks that may take them */
export async function readWaiting(db: Queryable): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select s.test, s.banks, count(*)::int as charges
    from payments p join stores s on s.id = p.store_id
    where p.bank is null and p.charge_try_at is not null and p.charge_state = 'unregistered'
    group by s.test, s.banks`.execute(db);
  return rows;
}
