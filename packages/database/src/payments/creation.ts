import type { PaymentEvent } from '@payments/domain/events';
import type { FeeTerms } from '@payments/domain/fees';
import { newId } from '@payments/domain/identifiers';
import { type Payment, paymentView } from '@payments/domain/payment';
import { currentTraceparent } from '@payments/tracing/tracing';
import { type RawBuilder, sql } from 'kysely';
import { type GatherOptions, gather, ofRequests } from '../batching.ts';
import type { Queryable } from '../connection.ts';
import { insertDeliveries } from '../deliveries/insert.ts';
import { leaveToPublish, type OutboxEvent } from '../events/outbox.ts';
import { type Author, recordChange } from '../operations/changes.ts';
import { eventWritten, inTransaction } from '../transaction.ts';
import { countNewPayments } from './counts.ts';

export type NewPayment = {
  payment: Payment;
  /** By which its fees follow from its amount, whatever the store's terms become. */
  feeTerms: FeeTerms;
  expiresAt: Date;
  /** When it is given up, unpaid: some time after it expired, since a Pix may be seen late. */
  closeAt: Date;
  /** The administrator who created it; null for the store itself. */
  by: Author | null;
  requestId: string | null;
  publicUrl: string;
};

/** @returns false when a payment with this id exists already: then nothing was written */
export type PaymentWriter = (creation: NewPayment) => Promise<boolean>;

/**
 * @returns writes payments, each with its `payment.created` and the delivery of that, so that none is ever there without
 *   the others. A charge without a code is left for the registration scan. What stores create at the same time is one
 *   statement and one commit: creation is what they wait for.
 */
export function paymentWriter(db: Queryable, together: GatherOptions = ofRequests): PaymentWriter {
  const insertTogether = gather((rows: NewRow[]) => insertPayments(db, rows), together);
  return async (creation) => {
    const { payment, by } = creation;
    const row = newRow(creation);
    if (!by) return insertTogether(row);
    return inTransaction(db, async (trx) => {
      const [isNew = false] = await insertPayments(trx, [row]);
      if (!isNew) return false;
      const { id: paymentId, storeId, createdAt: at } = payment;
      await recordChange(trx, by, {
        action: 'payment.created',
        at,
        storeId,
        paymentId,
        eventId: row.written.event.id,
      });
      return true;
    });
  };
}

type NewRow = NewPayment & { written: OutboxEvent };

/** With the event that is to be written; made at once, in the trace of its own request. */
function newRow(creation: NewPayment): NewRow {
  const { payment, requestId, publicUrl } = creation;
  const event: PaymentEvent = {
    id: newId(),
    type: 'payment.created',
    sequence: 1,
    occurredAt: payment.createdAt.toISOString(),
    payment: paymentView(payment, publicUrl),
  };
  const { storeId, webhookUrl } = payment;
  const traceParent = currentTraceparent();
  return {
    ...creation,
    written: { event, storeId, requestId, traceParent, hasDelivery: webhookUrl !== null },
  };
}

/** @returns of each, whether it was new */
async function insertPayments(db: Queryable, given: readonly NewRow[]): Promise<boolean[]> {
  // Rows in one order everywhere, so that two statements never wait for each other in a circle; of two with one id,
  // which come of one Idempotency-Key, the first.
  const unique = new Map(given.toReversed().map((row) => [row.payment.id, row]));
  const rows = [...unique.values()].sort((a, b) => (a.payment.id < b.payment.id ? -1 : 1));
  const { rows: inserted } = await sql<{ payment_id: string }>`
    with given as (
      ${unnested(rows)}
    ), payment as (
      insert into payments (id, store_id, status, charged, amount, fee_amount, liquid_value, fee_ppm, fee_fixed,
        observation, email, webhook_url, is_public, copy_and_paste, charge_state, charge_try_at, expires_at, expiry_check_at, events, request_id,
        created_at)
      select id, store_id, status, amount, amount, fee_amount, liquid_value, fee_ppm, fee_fixed,
        observation, email, webhook_url, is_public, copy_and_paste, case when copy_and_paste is null then 'unregistered' else 'registered' end,
        case when copy_and_paste is null then created_at end, expires_at, close_at, 1, request_id,
        created_at
      from given
      on conflict (id) do nothing
      returning id, store_id, status
    ), ${countNewPayments()}, event as (
      insert into events (id, payment_id, store_id, sequence, type, status, payload, actor, request_id,
        trace_parent, occurred_at)
      select g.event_id, g.id, g.store_id, 1, 'payment.created', g.status, g.payload::json, g.actor, g.request_id,
        g.trace_parent, g.created_at
      from given g join payment p on p.id = g.id
      returning id, payment_id
    ), delivery as (${insertDeliveries(firstEvents)}), left_to_publish as (${leaveToPublish})
    select payment_id from event`.execute(db);
  const newIds = new Set(inserted.map((row) => row.payment_id));
  const areNew = given.map((row) => unique.get(row.payment.id) === row && newIds.has(row.payment.id));
  for (const [index, { written }] of given.entries()) if (areNew[index]) eventWritten(db, written);
  return areNew;
}

// `is true`, so that the ids are looked up as a set and not one by one.
const firstEvents = sql`
  select event_id as id, id as payment_id, store_id, 1 as sequence, webhook_url as url, request_id, true as due from given
  where webhook_url is not null and (id in (select id from payment)) is true`;

function unnested(rows: readonly NewRow[]): RawBuilder<unknown> {
  return sql`
    select * from unnest(
      ${rows.map(({ payment }) => payment.id)}::uuid[], ${rows.map(({ payment }) => payment.storeId)}::uuid[],
      ${rows.map(({ payment }) => payment.status)}::text[], ${rows.map(({ payment }) => payment.amount)}::bigint[],
      ${rows.map(({ payment }) => payment.feeAmount)}::bigint[],
      ${rows.map(({ payment }) => payment.liquidValue)}::bigint[],
      ${rows.map(({ feeTerms }) => feeTerms.ppm)}::integer[], ${rows.map(({ feeTerms }) => feeTerms.fixed)}::integer[],
      ${rows.map(({ payment }) => payment.observation)}::text[], ${rows.map(({ payment }) => payment.email)}::text[],
      ${rows.map(({ payment }) => payment.webhookUrl)}::text[],
      ${rows.map(({ payment }) => payment.isPublic)}::boolean[],
      ${rows.map(({ payment }) => payment.copyAndPaste)}::text[],
      ${rows.map(({ expiresAt }) => expiresAt.toISOString())}::timestamptz[],
      ${rows.map(({ closeAt }) => closeAt.toISOString())}::timestamptz[],
      ${rows.map(({ requestId }) => requestId)}::text[],
      ${rows.map(({ payment }) => payment.createdAt.toISOString())}::timestamptz[],
      ${rows.map(({ written }) => written.event.id)}::uuid[],
      ${rows.map(({ written }) => JSON.stringify(written.event.payment))}::text[],
      ${rows.map(({ by }) => (by ? 'administrator' : 'store'))}::text[],
      ${rows.map(({ written }) => written.traceParent)}::text[]
    ) as g (id, store_id, status, amount, fee_amount, liquid_value, fee_ppm, fee_fixed, observation, email, webhook_url,
      is_public, copy_and_paste, expires_at, close_at, request_id, created_at, event_id, payload, actor, trace_parent)`;
}
