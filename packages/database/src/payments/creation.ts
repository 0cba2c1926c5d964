import type { FeeTerms } from '@payments/domain/fees';
import type { Payment, PaymentView } from '@payments/domain/payment';
import { type CompiledQuery, sql } from 'kysely';
import { batched } from '../batching.ts';
import type { Queryable } from '../connection.ts';
import { leaveToPublish } from '../events/outbox.ts';
import { insertRows } from '../json-rows.ts';
import { type Author, recordChange } from '../operations/changes.ts';
import { countCreated } from '../totals/changes.ts';
import { eventWritten, inTransaction } from '../transaction.ts';
import { countChanges } from './counts.ts';
import {
  eventRowOf,
  insertDeliveriesOfEvents,
  insertEvents,
  newEvent,
  type UnwrittenEvent,
} from './payment-events.ts';

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

type Unwritten = NewPayment & { event: UnwrittenEvent };

/**
 * Inserts a payment, its `payment.created` and its delivery in one statement. The registration scan finds a charge
 * without a code. Concurrent creations share one commit.
 * @returns false if a payment has this id, or if one of the store has this reference; nothing was written
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

/** @returns for each, whether it was new */
async function insertPayments(db: Queryable, given: readonly Unwritten[]): Promise<boolean[]> {
  // Two requests with one Idempotency-Key share an id; the first one counts. One order prevents deadlocks between
  // statements.
  const unique = new Map(given.toReversed().map((one) => [one.payment.id, one]));
  const creations = [...unique.values()].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const { rows: inserted } = await db
    .withoutPlugins()
    .executeQuery<{ id: string }>({ ...insertion(db, creations), parameters: valuesOf(creations) });
  const newIds = new Set(inserted.map(({ id }) => id));
  const areNew = given.map((one) => unique.get(one.payment.id) === one && newIds.has(one.payment.id));
  for (const [index, { event }] of given.entries()) if (areNew[index]) eventWritten(db, event.committed);
  return areNew;
}

let compiled: CompiledQuery | undefined;

/** The text is the same for any creations. Compiling it each time would take a twentieth of the API's time. */
function insertion(db: Queryable, creations: readonly Unwritten[]): CompiledQuery {
  // Renaming columns would cost each creation time: the names here are SQL's own.
  compiled ??= db
    .withoutPlugins()
    .with(
      'payment',
      () => sql<{ id: string }>`
        (${insertRows('payments', creations.map(rowOf))}
        on conflict do nothing
        returning id, store_id, status, amount, webhook_url, bank, created_at)`,
    )
    .with('counted', () =>
      countChanges(sql`select store_id, status, count(*) as change from payment group by store_id, status`),
    )
    .with('totals', countCreated)
    .with('event', () => insertEvents(creations.map(({ event }) => event)))
    .with('delivery', () => insertDeliveriesOfEvents(sql<boolean>`true`))
    .with('left_to_publish', () => sql`(${leaveToPublish})`)
    .selectFrom('event')
    .select(sql<string>`payment_id`.as('id'))
    .compile();
  return compiled;
}

/** The statement's parameters, in their order. */
const valuesOf = (creations: readonly Unwritten[]) => [
  JSON.stringify(creations.map(rowOf)),
  JSON.stringify(creations.map(({ event }) => eventRowOf(event))),
];

/** What two creations wait for each other by. Those with one id have one reference, too. */
function nameOf({ payment: { id, storeId, reference } }: Unwritten): string {
  return reference === null ? id : `${storeId} ${reference}`;
}

function rowOf({ payment, bank, feeTerms, expiresAt, closeAt, requestId }: NewPayment) {
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
