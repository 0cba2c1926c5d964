import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';

/** What a bank has today, and what is still to be done at it; the amount in centavos. */
export type BankWork = { id: string; chargesToday: number; amountToday: number; isOpen: boolean };

/**
 * @param since the start of the day
 * @returns for every bank that was ever configured
 */
export async function readBankWork(db: Queryable, since: Date): Promise<BankWork[]> {
  const { rows } = await sql<BankWork>`
    select b.id, coalesce(charges, 0)::int as "chargesToday", coalesce(amount, 0)::bigint as "amountToday",
      exists (select from payments p where p.bank = b.id and p.status = 'pending')
        or exists (select from payments p where p.bank = b.id and p.charge_try_at is not null)
        or exists (select from refunds r where r.bank = b.id and r.try_at is not null) as "isOpen"
    from banks b
    left join (
      select bank, count(*) as charges, sum(charged) as amount
      from payments where registered_at >= ${since} group by bank
    ) today on today.bank = b.id`.execute(db);
  return rows;
}

/** Charges of the stores with these banks (null for all) that no bank has taken yet. */
export type Waiting = { banks: string[] | null; charges: number };

/** @returns the charges that wait for a code, by the banks that may take them */
export async function readWaiting(db: Queryable): Promise<Waiting[]> {
  const { rows } = await sql<Waiting>`
    select s.banks, count(*)::int as charges
    from payments p join stores s on s.id = p.store_id
    where p.bank is null and p.charge_try_at is not null
    group by s.banks`.execute(db);
  return rows;
}
