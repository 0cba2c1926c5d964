import type { FeeTerms } from '@payments/domain/fees';
import type { Payment, PaymentView } from '@payments/domain/payment';
import { sql } from 'kysely';
import { batched } from '../batching.ts';
import type { Queryable } from '../connection.ts';
import { leaveToPublish } from '../events/outbox.ts';
import { insertRows } from '../json-rows.ts';
import { type Author, recordChange } from '../operations/changes.ts';
import { eventWritten, inTransaction } from '../transaction.ts';
import { countChanges } from './counts.ts';
import { insertDeliveriesOfEvents, insertEvents, newEvent, type UnwrittenEvent } from './payment-events.ts';

export type NewPayment = {
  payment: Payment;
  /** The payment as its `payment.created` tells it. */
  view: PaymentView;
  /** By which its fees follow from its amount, whatever the store's terms become. */
  feeTerms: FeeTerms;
  expiresAt: Date;
  /** When it is given up, unpaid: some time after it expired, since a Pix may be seen late. */
  closeAt: Date;
  /** The administrator who created it; null for the store itself. */
  by: Author | null;
  requestId: string | null;
};

type Unwritten = NewPayment & { event: UnwrittenEvent };

/**
 * Writes a payment, its `payment.created` and the delivery of that, so that none is ever there without the others. A
 * charge without a code is left for the registration scan. What stores create at the same time is one commit.
 * @returns false when a payment with this id exists already: then nothing was written
 */
export async function insertPayment(db: Queryable, creation: NewPayment): Promise<boolean> {
  const { payment, view, by, requestId } = creation;
  const { id: paymentId, storeId, webhookUrl, createdAt: at } = payment;
  const cause = { actor: by ? 'administrator' : 'store', reason: null, requestId, at };
  const event = newEvent({ view, webhookUrl, sequence: 1, previousStatus: null, ...cause });
  if (!by) return insertTogether(db, { ...creation, event });
  return inTransaction(db, async (trx) => {
    const [isNew = false] = await insertPayments(trx, [{ ...creation, event }]);
    const eventId = event.committed.event.id;
    if (isNew) await recordChange(trx, by, { action: 'payment.created', at, storeId, paymentId, eventId });
    return isNew;
  });
}

const insertTogether = batched(insertPayments);

/** @returns of each, whether it was new */
async function insertPayments(db: Queryable, given: readonly Unwritten[]): Promise<boolean[]> {
  // Of two with one id, which come of one Idempotency-Key, the first. Two statements that insert the same ids in one
  // order never wait for each other in a circle.
  const unique = new Map(given.toReversed().map((one) => [one.payment.id, one]));
  const creations = [...unique.values()].sort((a, b) => (a.payment.id < b.payment.id ? -1 : 1));
  const inserted = await db
    .with(
      'payment',
      () => sql<{ id: string }>`
        (${insertRows('payments', creations.map(rowOf))}
        on conflict (id) do nothing
        returning id, store_id, status, webhook_url)`,
    )
    .with('counted', () =>
      countChanges(sql`select store_id, status, count(*) as change from payment group by store_id, status`),
    )
    .with('event', () => insertEvents(creations.map(({ event }) => event)))
    .with('delivery', () => insertDeliveriesOfEvents(sql<boolean>`true`))
    .with('left_to_publish', () => sql`(${leaveToPublish})`)
    .selectFrom('event')
    .select('payment_id as id')
    .execute();
  const newIds = new Set(inserted.map(({ id }) => id));
  const areNew = given.map((one) => unique.get(one.payment.id) === one && newIds.has(one.payment.id));
  for (const [index, { event }] of given.entries()) if (areNew[index]) eventWritten(db, event.committed);
  return areNew;
}

function rowOf({ payment, feeTerms, expiresAt, closeAt, requestId }: NewPayment) {
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
    copy_and_paste: payment.copyAndPaste,
    charge_state: isRegistered ? 'registered' : 'unregistered',
    charge_try_at: isRegistered ? null : payment.createdAt,
    charge_tries: 0,
    expires_at: expiresAt,
    expiry_check_at: closeAt,
    events: 1,
    request_id: requestId,
    created_at: payment.createdAt,
  };
}
