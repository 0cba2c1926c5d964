import type { FeeTerms } from '@payments/domain/fees';
import type { Payment } from '@payments/domain/payment';
import type { Selectable } from 'kysely';
import type { Queryable } from '../connection.ts';
import type { ChargeState, PaymentsTable } from '../schema.ts';

/** A payment with what the service keeps about its charge and its history beside the domain's fields. */
export type StoredPayment = Payment & {
  /** The amount of the charge, in centavos; `amount` is the payment's value now. */
  charged: number;
  /** The store's fee as it was at the creation. */
  feeTerms: FeeTerms;
  chargeState: ChargeState;
  chargeTries: number;
  expiresAt: Date;
  reviewSince: Date | null;
  /** When its time in review was over, and all that was received began to go back. */
  reviewTimedOutAt: Date | null;
  /** How many events it has: the sequence of the newest. */
  events: number;
  requestId: string | null;
};

// Named one by one: with "*", a column added by a migration would break the prepared statements of running processes.
export const paymentColumns = [
  'id',
  'store_id',
  'status',
  'charged',
  'amount',
  'fee_amount',
  'liquid_value',
  'fee_ppm',
  'fee_fixed',
  'observation',
  'email',
  'webhook_url',
  'is_public',
  'copy_and_paste',
  'charge_state',
  'charge_tries',
  'expires_at',
  'review_since',
  'review_timed_out_at',
  'events',
  'request_id',
  'created_at',
] as const satisfies readonly (keyof PaymentsTable)[];

export type PaymentRow = Pick<Selectable<PaymentsTable>, (typeof paymentColumns)[number]>;

export function toStoredPayment(row: PaymentRow): StoredPayment {
  return {
    id: row.id,
    storeId: row.store_id,
    status: row.status,
    charged: row.charged,
    amount: row.amount,
    feeAmount: row.fee_amount,
    liquidValue: row.liquid_value,
    feeTerms: { ppm: row.fee_ppm, fixed: row.fee_fixed },
    observation: row.observation,
    email: row.email,
    webhookUrl: row.webhook_url,
    isPublic: row.is_public,
    copyAndPaste: row.copy_and_paste,
    createdAt: row.created_at,
    chargeState: row.charge_state,
    chargeTries: row.charge_tries,
    expiresAt: row.expires_at,
    reviewSince: row.review_since,
    reviewTimedOutAt: row.review_timed_out_at,
    events: row.events,
    requestId: row.request_id,
  };
}

/** @returns the payment, or undefined; with `storeId`, only where it is that store's (spec 4.2) */
export async function findPayment(
  db: Queryable,
  id: string,
  storeId?: string,
): Promise<StoredPayment | undefined> {
  let query = db.selectFrom('payments').select(paymentColumns).where('id', '=', id);
  if (storeId !== undefined) query = query.where('store_id', '=', storeId);
  const row = await query.executeTakeFirst();
  return row && toStoredPayment(row);
}

/** @returns the payment, locked against every other change until the transaction ends */
export async function lockPayment(trx: Queryable, id: string): Promise<StoredPayment | undefined> {
  const row = await trx
    .selectFrom('payments')
    .select(paymentColumns)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst();
  return row && toStoredPayment(row);
}
