import { isTestBank } from '@payments/domain/route-charge';
import { type SelectQueryBuilder, sql, type UpdateObject } from 'kysely';
import { endOf, isFreeOf, type Lease, type LeaseAtBank } from '../claims.ts';
import type { Queryable } from '../connection.ts';
import { type Update, updatePayment } from '../payments/changes.ts';
import { lockPayment, paymentColumns, type StoredPayment } from '../payments/payments.ts';
import type { Schema } from '../schema.ts';
import { inTransaction } from '../transaction.ts';

type Payments = SelectQueryBuilder<Schema, 'payments', object>;

/**
 * Claims payments whose charge no bank has taken yet, and that this bank may take. The lease is `charge_try_at`, so the
 * payments of a process that dies fall due again.
 */
export async function claimUnregistered(db: Queryable, lease: LeaseAtBank): Promise<StoredPayment[]> {
  return claimCharges(db, unregistered(db, lease.bank), lease);
}

/** Claims payments whose charge is to be withdrawn at this bank. The lease is `charge_try_at`. */
export async function claimCancelled(db: Queryable, lease: LeaseAtBank): Promise<StoredPayment[]> {
  return claimCharges(db, db.selectFrom('payments').where('bank', '=', lease.bank), lease);
}

/**
 * A store's charges go to no bank that is not in its list, and a test store's to the test bank alone. A subquery for each
 * row, not a join: a claim reads only the head of the queue. The test bank's part of it is apart, since a load test whose
 * bank is away would stand at the head of all other banks'.
 */
function unregistered(db: Queryable, bank: string): Payments {
  const mayTake = sql<boolean>`(select banks is null or ${bank} = any(banks) from stores where id = store_id)`;
  const ofKind = db.selectFrom('payments').where('bank', 'is', null).where('test', '=', isTestBank(bank));
  return ofKind.where(mayTake);
}

function claimCharges(db: Queryable, payments: Payments, lease: LeaseAtBank): Promise<StoredPayment[]> {
  const ofKind = payments.where('test', '=', isTestBank(lease.bank));
  // With the bank in the order, also null is read in the index's order.
  const due = ofKind.where('chargeTryAt', '<=', lease.now).orderBy('bank').orderBy('chargeTryAt');
  const chargeTries = sql<number>`charge_tries + 1`;
  return claim(db, due.limit(lease.limit), { chargeTryAt: endOf(lease), chargeTries });
}

type Leased = UpdateObject<Schema, 'payments'>;

function claim(db: Queryable, due: Payments, leased: Leased): Promise<StoredPayment[]> {
  const claimed = db.updateTable('payments').set(leased).where(isFreeOf(due));
  return claimed.returning(paymentColumns).execute();
}

/** Claims pending payments whose charge at this bank has expired; null for those that no bank took. */
export async function claimExpired(
  db: Queryable,
  { bank, ...lease }: Lease & { bank: string | null },
): Promise<StoredPayment[]> {
  const pending = db.selectFrom('payments').where(({ and }) => and({ status: 'pending', bank }));
  const due = pending.where('expiryCheckAt', '<=', lease.now).orderBy('bank').orderBy('expiryCheckAt');
  return claim(db, due.limit(lease.limit), { expiryCheckAt: endOf(lease) });
}

export type Registration = Pick<Update, 'view' | 'now'> & { bank: string; copyAndPaste: string };

/**
 * Stores the code of a charge that a bank has registered, and tells it. From here on the charge is that bank's.
 * @returns false if the payment no longer waits for it, or became another bank's
 */
export async function recordRegistration(
  db: Queryable,
  id: string,
  { bank, copyAndPaste, now, view }: Registration,
): Promise<boolean> {
  const values = {
    bank,
    charge_state: 'registered',
    charge_try_at: null,
    charge_tries: 0,
    registered_at: now,
  };
  return inTransaction(db, async (trx) => {
    const payment = await lockPayment(trx, id);
    if (payment?.chargeState !== 'unregistered' || payment.bank !== null) return false;
    const { requestId } = payment;
    await updatePayment(trx, {
      payment,
      changed: { copyAndPaste },
      values,
      actor: 'psp',
      requestId,
      now,
      view,
    });
    return true;
  });
}

/** Makes a payment another bank's: the one that shows its paid charge. `from` is null if no bank had taken the charge. */
export async function bindToBank(
  trx: Queryable,
  { id, from, to }: { id: string; from: string | null; to: string },
): Promise<void> {
  await trx
    .updateTable('payments')
    .set({ bank: to })
    .where('id', '=', id)
    .where('bank', 'is not distinct from', from)
    .execute();
}

/** Records that a charge needs no more work at the PSP. */
export async function closeCharge(db: Queryable, id: string): Promise<void> {
  await db
    .updateTable('payments')
    .set({ chargeState: 'closed', chargeTryAt: null })
    .where('id', '=', id)
    .execute();
}

/** Reschedules a charge that still waits for the PSP. */
export async function postponeCharge(db: Queryable, id: string, tryAt: Date): Promise<void> {
  await db
    .updateTable('payments')
    .set({ chargeTryAt: tryAt })
    .where('id', '=', id)
    .where('chargeTryAt', 'is not', null)
    .execute();
}

/** Makes every charge that is to be withdrawn at this bank due now. Call it when the bank responds again. */
export async function hastenCancellations(db: Queryable, bank: string, now: Date): Promise<void> {
  await hasten(db, db.selectFrom('payments').where('bank', '=', bank), now);
}

/** Makes every registration that waits for this bank due now. Call it when the bank responds again after an outage. */
export async function hastenRegistrations(db: Queryable, bank: string, now: Date): Promise<void> {
  await hasten(db, unregistered(db, bank), now);
}

/**
 * Makes charges due, the first one of each store before the second one of any: no store's backlog hides another's.
 *
 * A charge may be registered, withdrawn or closed while this statement waits for its row. PostgreSQL then judges the new
 * row by the outer conditions alone.
 */
async function hasten(db: Queryable, charges: Payments, now: Date): Promise<void> {
  const place = sql<number>`row_number() over (partition by store_id order by id)`;
  const waiting = charges.where('chargeTryAt', 'is not', null).select(['id', 'bank', place.as('place')]);
  const inTurn = sql<Date>`${now}::timestamptz - interval '1 second' + place * interval '1 microsecond'`;
  await db
    .updateTable('payments')
    .from(waiting.as('waiting'))
    .set({ chargeTryAt: inTurn })
    .whereRef('payments.id', '=', 'waiting.id')
    .whereRef('payments.bank', 'is not distinct from', 'waiting.bank')
    .where('payments.chargeTryAt', 'is not', null)
    .execute();
}

/** Ends the time to pay of a test store's pending payment, unless it is over. */
export async function endTimeToPay(
  db: Queryable,
  id: string,
  { expiresAt, closesAt }: { expiresAt: Date; closesAt: Date },
): Promise<void> {
  await db
    .updateTable('payments')
    .set({ expiresAt, expiryCheckAt: closesAt })
    .where(({ and }) => and({ id, test: true, status: 'pending' }))
    .where('expiresAt', '>', expiresAt)
    .execute();
}

/** Reschedules the check of an expired charge after a failed one. */
export async function postponeExpiry(db: Queryable, id: string, checkAt: Date): Promise<void> {
  await db.updateTable('payments').set({ expiryCheckAt: checkAt }).where('id', '=', id).execute();
}
