import { newId } from '@payments/domain/identifiers';
import { type Payment, paymentView } from '@payments/domain/payment';
import { sql } from 'kysely';
import type { Queryable } from './connection.ts';
import { countNewPayment } from './payment-counts.ts';

export type NewPayment = {
  payment: Payment;
  expiresAt: Date;
  /** Who created it: `store` or `administrator`. */
  actor: string;
  requestId: string | null;
  publicUrl: string;
};

/**
 * Writes a payment and its `payment.created` in one statement, so that one is never there without the other.
 * A charge without a code is left for the registration scan.
 * @returns false when a payment with this id exists already: then nothing was written
 */
export async function insertPayment(db: Queryable, creation: NewPayment): Promise<boolean> {
  const { payment, expiresAt, actor, requestId, publicUrl } = creation;
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
    ), ${countNewPayment()}
    insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, request_id,
      occurred_at, ledgered_at)
    select ${newId()}, id, ${payment.storeId}, 1, 'payment.created', ${payment.status}, ${payload}, ${actor},
      ${requestId}, ${now}, ${payment.webhookUrl === null ? now : null}
    from payment`.execute(db);
  return result.numAffectedRows === 1n;
}
