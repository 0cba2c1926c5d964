import type { FeeTerms } from '@payments/domain/fees';
import type { Payment, PaymentView } from '@payments/domain/payment';
import { type CompiledQuery, sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { leaveToPublish } from '../events/outbox.ts';
import { insertRows, type Row } from '../json-rows.ts';
import type { Author } from '../operations/changes.ts';
import { eventRowOf, insertDeliveriesOfEvents, insertEvents, type UnwrittenEvent } from './payment-events.ts';

export type NewPayment = {
  payment: Payment;
  /** The payment as its `payment.created` shows it. */
  view: PaymentView;
  /** Its fees follow from these terms, even if the store's terms change. */
  feeTerms: FeeTerms;
  expiresAt: Date;
  /** When an unpaid payment is closed: some time after it expired, since a Pix may be seen late. */
  closeAt: Date;
  /** The bank that took its charge; null while none did. */
  bank: string | null;
  /** The administrator who created it; null for the store itself. */
  by: Author | null;
  requestId: string | null;
};

export type Unwritten = NewPayment & { event: UnwrittenEvent };

let compiled: CompiledQuery | undefined;

/**
 * Inserts payments, their `payment.created` and their deliveries, unless a payment has the id or the store's reference.
 * @returns a statement that returns the ids of the new payments
 */
export function insertion(db: Queryable, creations: readonly Unwritten[]): CompiledQuery<{ id: string }> {
  // The text is the same for any creations. Compiling it again each time would make them slower.
  compiled ??= compile(db, creations);
  const parameters = [creations.map(rowOf), creations.map(({ event }) => eventRowOf(event))];
  return { ...compiled, parameters: parameters.map((rows) => JSON.stringify(rows)) };
}

// Renaming columns would cost each creation time: the names here are SQL's own.
const compile = (db: Queryable, creations: readonly Unwritten[]) =>
  db
    .withoutPlugins()
    .with(
      'payment',
      () => sql<{ id: string }>`
        (${insertRows('payments', creations.map(rowOf))}
        on conflict do nothing
        returning id, store_id, webhook_url)`,
    )
    .with('event', () => insertEvents(creations.map(({ event }) => event)))
    .with('delivery', () => insertDeliveriesOfEvents(sql<boolean>`true`))
    .with('left_to_publish', () => sql`(${leaveToPublish})`)
    .selectFrom('event')
    .select(sql<string>`payment_id`.as('id'))
    .compile();

type Column = keyof Row<'payments'>;
type SetLater = 'search_text' | 'review_since' | 'review_timed_out_at' | 'approved_at' | 'received';

function rowOf({
  payment,
  bank,
  feeTerms,
  expiresAt,
  closeAt,
  requestId,
}: NewPayment): Row<'payments'> & Record<Exclude<Column, SetLater>, unknown> {
  const isRegistered = payment.copyAndPaste !== null;
  return {
    id: payment.id,
    store_id: payment.storeId,
    status: payment.status,
    charged: payment.amount,
    amount: payment.amount,
    fee_amount: payment.feeAmount,
    liquid_value: payment.liquidValue,
    fee_ppm: feeTerms.ppm,
    fee_fixed: feeTerms.fixed,
    observation: payment.observation,
    email: payment.email,
    webhook_url: payment.webhookUrl,
    is_public: payment.isPublic,
    bank,
    copy_and_paste: payment.copyAndPaste,
    reference: payment.reference,
    expires_in: payment.expiresIn,
    charge_state: isRegistered ? 'registered' : 'unregistered',
    charge_try_at: isRegistered ? null : payment.createdAt,
    charge_tries: 0,
    registered_at: isRegistered ? payment.createdAt : null,
    expires_at: expiresAt,
    expiry_check_at: closeAt,
    events: 1,
    request_id: requestId,
    created_at: payment.createdAt,
  };
}
