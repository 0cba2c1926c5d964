import { endOf, isFreeOf, type LeaseAtBank } from '../claims.ts';
import type { Queryable } from '../connection.ts';
import type { Schema } from '../schema.ts';

/** A bank that was asked for a payment's charge, and whose answer nobody heard: it may have taken the charge. */
export type UnheardCharge = Pick<Schema['unheardCharges'], 'paymentId' | 'bank' | 'askedAt'>;

/** The first look comes when a slow creation has ended. */
export const firstLookMs = 15_000;

/**
 * Records that the answers of these banks to a charge were not heard, or may be lost. A charge that is asked for again is
 * looked at anew: the last request may reach the bank's books after the looks so far.
 */
export async function expectUnheard(db: Queryable, charges: readonly UnheardCharge[]): Promise<void> {
  if (charges.length === 0) return;
  const firstLook = ({ askedAt }: UnheardCharge) => new Date(askedAt.getTime() + firstLookMs);
  const rows = charges.map((charge) => ({ ...charge, tryAt: firstLook(charge) }));
  await db
    .insertInto('unheardCharges')
    .values(rows)
    .onConflict((oc) =>
      oc.columns(['paymentId', 'bank']).doUpdateSet((eb) => ({
        askedAt: eb.ref('excluded.askedAt'),
        tryAt: eb.ref('excluded.tryAt'),
        tries: 0,
      })),
    )
    .execute();
}

export type DueUnheard = UnheardCharge & { tries: number };

/** Claims charges at this bank whose answer was not heard. The lease is `try_at`. */
export async function claimUnheard(db: Queryable, lease: LeaseAtBank): Promise<DueUnheard[]> {
  const ofBank = db.selectFrom('unheardCharges').where('bank', '=', lease.bank);
  const due = ofBank.where('tryAt', '<=', lease.now).orderBy('tryAt').limit(lease.limit);
  return db
    .updateTable('unheardCharges')
    .set({ tryAt: endOf(lease) })
    .where(isFreeOf(due))
    .returning(['paymentId', 'bank', 'askedAt', 'tries'])
    .execute();
}

/** Reschedules the look at a charge, unless it was asked for again meanwhile. */
export async function postponeUnheard(
  db: Queryable,
  { paymentId, bank, askedAt }: UnheardCharge,
  next: { tryAt: Date; tries: number },
): Promise<void> {
  await db
    .updateTable('unheardCharges')
    .set(next)
    .where(({ and }) => and({ paymentId, bank, askedAt }))
    .execute();
}

/**
 * Forgets a charge: it is not at the bank any more, or the payment is this bank's. One that was asked for again meanwhile
 * stays.
 */
export async function forgetUnheard(
  db: Queryable,
  { paymentId, bank, askedAt }: UnheardCharge,
): Promise<void> {
  await db
    .deleteFrom('unheardCharges')
    .where(({ and }) => and({ paymentId, bank, askedAt }))
    .execute();
}
