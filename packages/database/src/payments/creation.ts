import { batched } from '../batching.ts';
import type { Queryable } from '../connection.ts';
import { recordChange } from '../operations/changes.ts';
import { eventWritten, inTransaction } from '../transaction.ts';
import { insertion, type NewPayment, type Unwritten } from './creation-statement.ts';
import { newEvent } from './payment-events.ts';

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
  const { rows: inserted } = await db.withoutPlugins().executeQuery<{ id: string }>(insertion(db, creations));
  const newIds = new Set(inserted.map(({ id }) => id));
  const areNew = given.map((one) => unique.get(one.payment.id) === one && newIds.has(one.payment.id));
  for (const [index, { event }] of given.entries()) if (areNew[index]) eventWritten(db, event.committed);
  return areNew;
}

/** What two creations wait for each other by. Those with one id have one reference, too. */
function nameOf({ payment: { id, storeId, reference } }: Unwritten): string {
  return reference === null ? id : `${storeId} ${reference}`;
}
