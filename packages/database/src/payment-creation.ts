import { newId } from '@payments/domain/identifiers';
import { type Payment, paymentView } from '@payments/domain/payment';
import { currentTraceparent } from '@payments/tracing/tracing';
import { sql } from 'kysely';
import { type Author, recordChange } from './changes.ts';
import type { Queryable } from './connection.ts';
import { leaveToPublish } from './outbox.ts';
import { countNewPayment } from './payment-counts.ts';
import { eventWritten, inTransaction } from './transaction.ts';

export type NewPayment = {
  payment: Payment;
  expiresAt: Date;
  /** The administrator who created it; null for the store itself. */
  by: Author | null;
  requestId: string | null;
  publicUrl: string;
};

/**
 * Writes a payment with its `payment.created`, so that one is never there without the other.
 * A charge without a code is left for the registration scan.
 * @returns false when a payment with this id exists already: then nothing was written
 */
export async function insertPayment(db: Queryable, creation: NewPayment): Promise<boolean> {
  const { payment, by } = creation;
  const eventId = newId();
  if (!by) return insertWithEvent(db, creation, eventId);
  return inTransaction(db, async (trx) => {
    if (!(await insertWithEvent(trx, creation, eventId))) return false;
    const { id: paymentId, storeId, createdAt: at } = payment;
    await recordChange(trx, by, { action: 'payment.created', at, storeId, paymentId, eventId });
    return true;
  });
}

/** One statement: creation is what stores wait for. */
async function insertWithEvent(db: Queryable, creation: NewPayment, eventId: string): Promise<boolean> {
  const { payment, expiresAt, by, requestId, publicUrl } = creation;
  const registered = payment.copyAndPaste !== null;
  const payload = JSON.stringify(paymentView(payment, publicUrl));
  const now = payment.createdAt;
  const result = await sql`
    with payment as (
      insert into payments (id, store_id, status, amount, fee_amount, liquid_value, observation, email,
        webhook_url, is_public, copy_and_paste, charge_state, charge_try_at, expires_at, expiry_check_at, events, request_id,
        created_at, updated_at)
      values (${payment.id}, ${payment.storeId}, ${payment.status}, ${payment.amount}, ${payment.feeAmount},
        ${payment.liquidValue}, ${payment.observation}, ${payment.email}, ${payment.webhookUrl},
        ${payment.isPublic}, ${payment.copyAndPaste}, ${registered ? 'registered' : 'unregistered'},
        ${registered ? null : now}, ${expiresAt}, ${expiresAt}, 1, ${requestId}, ${now}, ${now})
      on conflict (id) do nothing
      returning id, store_id, status
    ), ${countNewPayment()}, event as (
      insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, request_id,
        trace_parent, occurred_at, ledgered_at)
      select ${eventId}, id, ${payment.storeId}, 1, 'payment.created', ${payment.status}, ${payload},
        ${by ? 'administrator' : 'store'},
        ${requestId}, ${currentTraceparent()}, ${now}, ${payment.webhookUrl === null ? now : null}
      from payment
      returning id
    )
    ${leaveToPublish}`.execute(db);
  const isNew = result.numAffectedRows === 1n;
  if (isNew) eventWritten(db, { type: 'payment.created', status: payment.status });
  return isNew;
}
