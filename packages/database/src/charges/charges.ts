import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import {
  type PaymentRow,
  paymentColumns,
  type StoredPayment,
  toStoredPayment,
} from '../payments/payments.ts';

const columns = sql.join(paymentColumns.map((column) => sql.ref(`p.${column}`)));

/**
 * Claims payments whose charge has yet to be registered at the PSP, or withdrawn there; the lease is
 * `charge_try_at` itself, so a process that dies leaves them due again.
 */
export async function claimDueCharges(
  db: Queryable,
  { limit, leaseMs, now }: { limit: number; leaseMs: number; now: Date },
): Promise<StoredPayment[]> {
  const { rows } = await sql<PaymentRow>`
    with due as (
      select id from payments where charge_try_at <= ${now}
      order by charge_try_at limit ${limit} for update skip locked
    )
    update payments p set charge_try_at = ${new Date(now.getTime() + leaseMs)}, charge_tries = p.charge_tries + 1
    where p.id = any(array(select id from due))
    returning ${columns}`.execute(db);
  return rows.map(toStoredPayment);
}

/** Enters the code of a charge that the PSP has registered. @returns false when the payment no longer waits for it */
export async function recordRegistration(db: Queryable, id: string, copyAndPaste: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payments')
    .set({ copy_and_paste: copyAndPaste, charge_state: 'registered', charge_try_at: null, charge_tries: 0 })
    .where('id', '=', id)
    .where('charge_state', '=', 'unregistered')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Enters that a charge needs nothing more at the PSP. */
export async function closeCharge(db: Queryable, id: string): Promise<void> {
  await db
    .updateTable('payments')
    .set({ charge_state: 'closed', charge_try_at: null })
    .where('id', '=', id)
    .execute();
}

export async function postponeCharge(db: Queryable, id: string, tryAt: Date): Promise<void> {
  await db
    .updateTable('payments')
    .set({ charge_try_at: tryAt })
    .where('id', '=', id)
    // `is true`, so that no plan goes through all that wait.
    .where(sql<boolean>`(charge_try_at is not null) is true`)
    .execute();
}

/** Makes every waiting registration due now: called when a PSP that was away answers again. */
export async function hastenCharges(db: Queryable, now: Date): Promise<void> {
  await db.updateTable('payments').set({ charge_try_at: now }).where('charge_try_at', '>', now).execute();
}

/** Claims pending payments whose charge has expired; the lease is `expiry_check_at` itself. */
export async function claimExpired(
  db: Queryable,
  { now, limit, leaseMs }: { now: Date; limit: number; leaseMs: number },
): Promise<StoredPayment[]> {
  const { rows } = await sql<PaymentRow>`
    with due as (
      select id from payments where status = 'pending' and expiry_check_at <= ${now}
      order by expiry_check_at limit ${limit} for update skip locked
    )
    update payments p set expiry_check_at = ${new Date(now.getTime() + leaseMs)}
    where p.id = any(array(select id from due))
    returning ${columns}`.execute(db);
  return rows.map(toStoredPayment);
}

/** Puts off the next look at an expired charge, after one that failed. */
export async function postponeExpiry(db: Queryable, id: string, checkAt: Date): Promise<void> {
  await db.updateTable('payments').set({ expiry_check_at: checkAt }).where('id', '=', id).execute();
}
