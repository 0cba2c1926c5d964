import { createdAtOf, firstIdOf } from '@payments/domain/identifiers';
import type { PaymentView } from '@payments/domain/payment';
import {
  hasTexts,
  payerTexts,
  personalTexts,
  urlWithoutPerson,
  withoutPerson,
  withoutTexts,
} from '@payments/domain/personal-data';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { advanceCursor, readCursor } from '../cursors.ts';
import type { Removal } from '../deliveries/retention.ts';
import { anyOf, pagesOf } from '../filters.ts';
import { eraseMailsTo } from '../notices/mails.ts';
import {
  endpointMayName,
  referenceMayName,
  textMayName,
  webhookUrlMayName,
} from '../payments/search-text.ts';
import { inTransaction } from '../transaction.ts';

const columns = ['id', ...personalTexts] as const;

/** How an e-mail is found in each text of a payment beside the payer's, which `search_text` has. */
const mayName: Record<
  Exclude<(typeof personalTexts)[number], (typeof payerTexts)[number]>,
  typeof textMayName
> = {
  reference: referenceMayName,
  webhookUrl: webhookUrlMayName,
};

// An e-mail may stand in every payment of a store. Between two pages other requests have their turn, and each payment is
// locked for one page alone.
const pageSize = 100;

const textsOf = (db: Queryable, ids: readonly string[]) =>
  db.selectFrom('payments').select(columns).where('id', '=', anyOf(ids)).orderBy('id');

/**
 * @returns the ids of the payments whose e-mail is this one, in any case, or whose other texts or webhookUrl contain it,
 * oldest first
 */
export async function findPaymentsOf(db: Queryable, email: string): Promise<string[]> {
  const those = (where: typeof textMayName) => db.selectFrom('payments').select('id').where(where(email));
  const candidates = await Object.values(mayName)
    .reduce((found, where) => found.union(those(where)), those(textMayName))
    .orderBy('id')
    .execute();
  const found: string[] = [];
  for (const page of pagesOf(
    candidates.map(({ id }) => id),
    pageSize,
  )) {
    const payments = await textsOf(db, page).execute();
    const named = payments.filter((payment) => withoutPerson(payment, email) !== payment);
    found.push(...named.map(({ id }) => id));
  }
  return found;
}

/**
 * Erases a person from these payments, wherever their texts are kept, and from all else that names them. Amounts stay.
 * It is no single transaction: after a failure, a repetition erases what is left.
 */
export async function erasePersonFrom(db: Queryable, email: string, ids: readonly string[]): Promise<void> {
  for (const page of pagesOf(ids, pageSize))
    await inTransaction(db, (trx) => erasePersonFromPage(trx, email, page));
  await inTransaction(db, async (trx) => {
    await eraseFromEndpoints(trx, email);
    await eraseMailsTo(trx, email);
  });
}

async function erasePersonFromPage(trx: Queryable, email: string, ids: readonly string[]): Promise<void> {
  for (const payment of await textsOf(trx, ids).forUpdate().execute()) {
    const { id, ...texts } = withoutPerson(payment, email);
    const { webhookUrl } = texts;
    await trx.updateTable('payments').set(texts).where('id', '=', id).execute();
    if (webhookUrl !== null && webhookUrl !== payment.webhookUrl) await changeUrl(trx, id, webhookUrl);
  }
  await eraseCopies(trx, ids);
}

/** A failing endpoint outlives its deliveries, and its URL without a query would enter the record when it is released. */
async function eraseFromEndpoints(trx: Queryable, email: string): Promise<void> {
  const rows = await trx
    .selectFrom('failingEndpoints')
    .select(['id', 'url'])
    .where(endpointMayName(email))
    .execute();
  for (const { id, url } of rows)
    await trx
      .updateTable('failingEndpoints')
      .set({ url: urlWithoutPerson(url, email) })
      .where('id', '=', id)
      .execute();
}

/** Events that are still to be delivered go to the new address, with the same endpoint's health. */
async function changeUrl(trx: Queryable, paymentId: string, url: string): Promise<void> {
  const { rows } = await sql<{ endpoint: string }>`
    update deliveries set url = ${url}
    where id in (select id from events where payment_id = ${paymentId}) returning endpoint`.execute(trx);
  await trx
    .updateTable('failingEndpoints')
    .set({ url: url.replace(/[?#].*$/s, '') })
    .where('id', '=', anyOf(rows.map(({ endpoint }) => endpoint)))
    .execute();
}

/** Erases the payers' texts of payments, wherever they are kept. Amounts stay. */
async function eraseTexts(trx: Queryable, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await trx
    .updateTable('payments')
    .set(Object.fromEntries(payerTexts.map((name) => [name, null])))
    .where('id', '=', anyOf(ids))
    .execute();
  await eraseCopies(trx, ids);
}

/** Erases the texts from the events of payments, and what receivers answered to them, some payments at a time. */
export async function eraseAllCopies(db: Queryable, ids: readonly string[]): Promise<void> {
  for (const page of pagesOf(ids, pageSize)) await inTransaction(db, (trx) => eraseCopies(trx, page));
}

async function eraseCopies(trx: Queryable, ids: readonly string[]): Promise<void> {
  await endResponses(trx, ids);
  const events = await trx
    .selectFrom('events as e')
    .select(['e.id', 'payload'])
    .where('paymentId', '=', anyOf(ids))
    .execute();
  for (const { id, payload } of events) {
    if (!hasTexts(payload)) continue;
    // Written by JavaScript, since PostgreSQL would reorder the fields that receivers see.
    const erased: PaymentView = withoutTexts(payload);
    await sql`update events set payload = ${JSON.stringify(erased)}::json where id = ${id}`.execute(trx);
  }
  await eraseResponses(trx, ids);
}

/**
 * Locks payments, and ends what is kept of their receivers' answers. No event is written from now on before these copies
 * are erased, and later ones know of it.
 */
async function endResponses(trx: Queryable, ids: readonly string[]): Promise<void> {
  await sql`
    update payments set keeps_responses = false
    where id in (select id from payments where id = ${anyOf(ids)} order by id for update)`.execute(trx);
}

/** Erases what receivers answered to the events of payments that are locked. */
async function eraseResponses(trx: Queryable, ids: readonly string[]): Promise<void> {
  await sql`
    update deliveries set keeps_responses = false, attempt_log = coalesce((
      select jsonb_agg(entry || '{"responseExcerpt": null}' order by place)
      from jsonb_array_elements(attempt_log) with ordinality as log (entry, place)
    ), '[]')
    where id in (select id from events where payment_id = ${anyOf(ids)}) and keeps_responses`.execute(trx);
}

const cursor = { bank: '', name: 'personal-data' };

/**
 * Erases the texts of up to `limit` payments created before `before`, oldest first. Ids are UUIDv7, so the primary key
 * leads from one to the next; a cursor skips what was erased.
 * @returns how many payments were looked at
 */
export async function eraseOldTexts(db: Queryable, { before, limit }: Removal): Promise<number> {
  const from = (await readCursor(db, cursor)) ?? new Date(0);
  const old = await db
    .selectFrom('payments')
    .select(['id', ...payerTexts])
    .where('id', '>=', firstIdOf(from))
    .where('id', '<', firstIdOf(before))
    .orderBy('id')
    .limit(limit)
    .execute();
  const last = old.at(-1);
  if (!last) return 0;
  const ids = (payments: typeof old) => payments.map(({ id }) => id);
  const [withTexts, others] = [old.filter(hasTexts), old.filter((one) => !hasTexts(one))].map(ids);
  await inTransaction(db, async (trx) => {
    await eraseTexts(trx, withTexts as string[]);
    // A receiver's answer may name a person although the payment has no text.
    await endResponses(trx, others as string[]);
    await eraseResponses(trx, others as string[]);
    // The next millisecond, so that a turn that ends in the middle of one is not repeated for ever.
    const isRest = old.length < limit;
    const reached = createdAtOf(last.id).getTime() + (isRest ? 1 : 0);
    await advanceCursor(trx, cursor, new Date(reached));
  });
  return old.length;
}
