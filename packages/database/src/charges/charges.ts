import { type SelectQueryBuilder, sql, type UpdateObject } from 'kysely';
import type { Queryable } from '../connection.ts';
import { paymentColumns, type StoredPayment } from '../payments/payments.ts';
import type { Schema } from '../schema.ts';

export type Lease = { limit: number; leaseMs: number; now: Date };

const endOf = ({ leaseMs, now }: Lease): Date => new Date(now.getTime() + leaseMs);

/**
 * Claims payments whose charge is still to be registered or withdrawn at the PSP. The lease is `charge_try_at`, so the
 * payments of a process that dies fall due again.
 */
export async function claimDueCharges(db: Queryable, lease: Lease): Promise<StoredPayment[]> {
  const due = db.selectFrom('payments').where('charge_try_at', '<=', lease.now).orderBy('charge_try_at');
  const tries = sql<number>`charge_tries + 1`;
  return claim(db, due.select('id').limit(lease.limit), { charge_try_at: endOf(lease), charge_tries: tries });
}

/** Claims pending payments whose charge has expired. The lease is `expiry_check_at`. */
export async function claimExpired(db: Queryable, lease: Lease): Promise<StoredPayment[]> {
  const pending = db.selectFrom('payments').where('status', '=', 'pending');
  const due = pending.where('expiry_check_at', '<=', lease.now).orderBy('expiry_check_at');
  return claim(db, due.select('id').limit(lease.limit), { expiry_check_at: endOf(lease) });
}

function claim(
  db: Queryable,
  due: SelectQueryBuilder<Schema, 'payments', { id: string }>,
  lease: UpdateObject<Schema, 'payments'>,
): Promise<StoredPayment[]> {
  return db
    .with('due', () => due.forUpdate().skipLocked())
    .updateTable('payments')
    .set(lease)
    .where('id', 'in', (eb) => eb.selectFrom('due').select('due.id'))
    .returning(paymentColumns)
    .execute();
}

/**
 * Stores the code of a charge that the PSP has registered.
 * @returns false if the payment no longer waits for it
 */
export async function recordRegistration(db: Queryable, id: string, copyAndPaste: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('payments')
    .set({ copy_and_paste: copyAndPaste, charge_state: 'registered', charge_try_at: null, charge_tries: 0 })
    .where('id', '=', id)
    .where('charge_state', '=', 'unregistered')
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Records that a charge needs no more work at the PSP. */
export async function closeCharge(db: Queryable, id: string): Promise<void> {
  await db
    .updateTable('payments')
    .set({ charge_state: 'closed', charge_try_at: null })
    .where('id', '=', id)
    .execute();
}

/** Reschedules a charge that still waits for the PSP. */
export async function postponeCharge(db: Queryable, id: string, tryAt: Date): Promise<void> {
  await db
    .updateTable('payments')
    .set({ charge_try_at: tryAt })
    .where('id', '=', id)
    .where('charge_try_at', 'is not', null)
    .execute();
}

/** Makes every waiting registration due now. Call it when the PSP responds again after an outage. */
export async function hastenCharges(db: Queryable, now: Date): Promise<void> {
  await db.updateTable('payments').set({ charge_try_at: now }).where('charge_try_at', '>', now).execute();
}

/** Reschedules the check of an expired charge after a failed one. */
export async function postponeExpiry(db: Queryable, id: string, checkAt: Date): Promise<void> {
  await db.updateTable('payments').set({ expiry_check_at: checkAt }).where('id', '=', id).execute();
}
