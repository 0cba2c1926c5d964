import type { FeeTerms } from '@payments/domain/fees';
import type { Payment, PaymentView } from '@payments/domain/payment';
import { batched, lockWait, waitingBriefly } from '../batching.ts';
import type { Queryable } from '../connection.ts';
import { type Author, recordChange } from '../record/changes.ts';
import { type Row, run } from '../run.ts';
import { eventWritten, inTransaction } from '../transaction.ts';
import { eventRowOf, newEvent, type UnwrittenEvent } from './payment-events.ts';

export type NewPayment = {
  payment: Payment;
  /** Whether its store is a test store. */
  test: boolean;
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
  /** When a lost payment was found again: its event happens then, for times grow along the feed. */
  foundAt?: Date | undefined;
};

type Unwritten = NewPayment & { event: UnwrittenEvent };

/**
 * Inserts payments ($1) with their `payment.created` ($2), unless a payment has the id or the store's reference. The
 * events and deliveries of new payments, and what is to be published, are committed with them. It waits for a lock no longer
 * than $3, if that is given.
 */
const insertion = `
  with payment as (
    insert into payments (id, store_id, test, status, charged, amount, fee_amount, liquid_value, fee_ppm, fee_fixed,
      observation, email, description, webhook_url, is_public, bank, copy_and_paste, reference, expires_in, charge_state,
      charge_try_at, charge_tries, registered_at, expires_at, expiry_check_at, events, request_id, created_at)
    select id, store_id, test, status, charged, amount, fee_amount, liquid_value, fee_ppm, fee_fixed,
      observation, email, description, webhook_url, is_public, bank, copy_and_paste, reference, expires_in, charge_state,
      charge_try_at, charge_tries, registered_at, expires_at, expiry_check_at, events, request_id, created_at
    from json_populate_recordset(null::payments, $1)
    where ${waitingBriefly('$3')}
    on conflict do nothing
    returning id, store_id, webhook_url
  ), event as (
    insert into events (id, payment_id, store_id, sequence, type, status, previous_status, payload, actor, reason,
      request_id, trace_parent, occurred_at)
    select id, payment_id, store_id, sequence, type, status, previous_status, payload, actor, reason,
      request_id, trace_parent, occurred_at
    from json_populate_recordset(null::events, $2)
    where payment_id in (select id from payment)
    returning id, payment_id, store_id, sequence, request_id
  ), delivery as (
    insert into deliveries (id, payment_id, store_id, sequence, url, endpoint, request_id, state, next_attempt_at,
      created_at)
    select event.id, payment_id, event.store_id, sequence, webhook_url, endpoint_of(event.store_id, webhook_url),
      request_id, 'pending', now(), now()
    from event join payment on payment.id = payment_id
    where webhook_url is not null
  ), left_to_publish as (
    insert into outbox (event_id) select id from event
  )
  select payment_id as id from event`;

/**
 * Inserts a payment, its `payment.created` and its delivery in one statement. The registration scan finds a charge
 * without a code. Concurrent creations share one commit.
 * @returns false if a payment has this id, or if one of the store has this reference; nothing was written
 */
export async function insertPayment(db: Queryable, creation: NewPayment): Promise<boolean> {
  const { payment, view, by, requestId, foundAt } = creation;
  const { id: paymentId, storeId, createdAt } = payment;
  const at = foundAt ?? createdAt;
  const cause = { actor: by ? 'administrator' : 'store', reason: null, requestId, at };
  const event = newEvent({ type: 'payment.created', view, sequence: 1, ordinal: 1, ...cause });
  if (!by) return insertTogether(db, { ...creation, event });
  return inTransaction(db, async (trx) => {
    const [isNew = false] = await insertPayments(trx, [{ ...creation, event }]);
    const eventId = event.committed.event.id;
    if (isNew) await recordChange(trx, by, { action: 'payment.created', at, storeId, paymentId, eventId });
    return isNew;
  });
}

const insertTogether = batched(insertPayments, ({ payment }) => payment.storeId);

/** @returns for each, whether it was new */
async function insertPayments(db: Queryable, given: readonly Unwritten[]): Promise<boolean[]> {
  // Two requests with one Idempotency-Key share an id; the first one counts. One order prevents deadlocks between
  // statements.
  const unique = new Map(given.toReversed().map((one) => [one.payment.id, one]));
  const creations = [...unique.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const rows = [creations.map(rowOf), creations.map(({ event }) => eventRowOf(event))];
  const inserted = await run<{ id: string }>(db, insertion, [
    ...rows.map((each) => JSON.stringify(each)),
    lockWait(db),
  ]);
  const newIds = new Set(inserted.map(({ id }) => id));
  const areNew = given.map((one) => unique.get(one.payment.id) === one && newIds.has(one.payment.id));
  for (const [index, { event, payment }] of given.entries())
    if (areNew[index]) eventWritten(db, { ...event.committed, hasDelivery: payment.webhookUrl !== null });
  return areNew;
}

/** Two creations of this one name wait for each other. Those with one id have one reference, too. */
function nameOf({ payment: { id, storeId, reference } }: Unwritten): string {
  return reference === null ? id : `${storeId} ${reference}`;
}

type SetLater =
  | 'moves'
  | 'keeps_responses'
  | 'search_text'
  | 'review_since'
  | 'review_timed_out_at'
  | 'approved_at'
  | 'received';
type PaymentRow = Record<Exclude<keyof Row<'payments'>, SetLater>, unknown>;

function rowOf({
  payment,
  test,
  bank,
  feeTerms,
  expiresAt,
  closeAt,
  requestId,
}: NewPayment): Row<'payments'> & PaymentRow {
  const isRegistered = payment.copyAndPaste !== null;
  return {
    id: payment.id,
    store_id: payment.storeId,
    test,
    status: payment.status,
    charged: payment.amount,
    amount: payment.amount,
    fee_amount: payment.feeAmount,
    liquid_value: payment.liquidValue,
    fee_ppm: feeTerms.ppm,
    fee_fixed: feeTerms.fixed,
    observation: payment.observation,
    email: payment.email,
    description: payment.description,
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
