import { isDeepStrictEqual } from 'node:util';
import { withoutEmails } from '@payments/domain/personal-data';
import { sql } from 'kysely';
import type { Queryable } from '../connection.ts';
import { type Page, type Paged, readPage } from '../filters.ts';
import type { Selected } from '../schema.ts';
import { isOfKind, type KindFilter } from '../stores/kinds.ts';
import { inTransaction } from '../transaction.ts';
import type { ChangeAction, ChangedValues } from './change-actions.ts';

/** The author of a change, and the reason. */
export type Author = {
  /** The name of the account or key; null if the author is not known. */
  name: string | null;
  /** Null for `ADMIN_KEY`. */
  id?: string | null;
  via: 'api' | 'panel';
  reason: string | null;
  requestId: string | null;
  /** Where the request came from; absent where none made the change. */
  address?: string | null;
  browser?: string | null;
};

export type NewChange = {
  action: ChangeAction;
  at: Date;
  /** Null if the change concerns all stores. */
  storeId: string | null;
  paymentId?: string;
  /** The id of the token, delivery, refund or endpoint that changed. */
  subject?: string;
  /** The event that the change committed. */
  eventId?: string;
  from?: ChangedValues;
  to?: ChangedValues;
};

/**
 * Records an administrator's change, without e-mails, since nobody can change the record. Call it in the change's
 * transaction.
 */
export async function recordChange(trx: Queryable, by: Author, change: NewChange): Promise<void> {
  const { name, id: authorId, via, reason, requestId, address } = by;
  const { at: occurredAt, from, to, ...about } = change;
  const [before, after] = [recorded(from), recorded(to)];
  const author = name && withoutEmails(name);
  const browser = by.browser && withoutEmails(by.browser);
  const made = { author, authorId, via, reason, requestId, address, browser };
  await trx
    .insertInto('changes')
    .values({ ...about, ...made, before, after, occurredAt })
    .execute();
}

/**
 * Makes a change and its record in one transaction.
 * @param work makes the change and returns what to record; undefined if there was nothing to change
 * @returns whether it was made
 */
export async function changeOnRecord(
  db: Queryable,
  by: Author,
  work: (trx: Queryable) => Promise<NewChange | undefined>,
): Promise<boolean> {
  return inTransaction(db, async (trx) => {
    const change = await work(trx);
    if (change) await recordChange(trx, by, change);
    return change !== undefined;
  });
}

/** @returns the fields that differ, as they were before and as they are after */
export function differences<Row extends object>(before: Row, after: Row) {
  const changed = Object.entries(after).filter(
    ([name, value]) => !isDeepStrictEqual(value, before[name as keyof Row]),
  );
  const from = changed.map(([name]) => [name, before[name as keyof Row]]);
  return { from: Object.fromEntries(from), to: Object.fromEntries(changed) };
}

/** A replacer for `JSON.stringify`. */
export const withoutPersons = (_name: string, value: unknown) =>
  typeof value === 'string' ? withoutEmails(value) : value;

const recorded = (values?: ChangedValues) => (values ? JSON.stringify(values, withoutPersons) : null);

const columns = [
  'id',
  'occurredAt as at',
  'action',
  'storeId',
  'paymentId',
  'subject',
  'before as from',
  'after as to',
  'author',
  'authorId',
  'via',
  'reason',
  'requestId',
  'address',
  'browser',
] as const;

export type Change = Selected<'changes', typeof columns> & {
  /** In hex, over the entry and the hash before it; null only where the chain was broken. */
  hash: string | null;
};

/** `storeId` selects changes of the store itself, `paymentId` those of one payment. */
export type ChangeFilter = KindFilter & { storeId?: string; paymentId?: string };

/** @returns one page of administrators' changes, newest first, and their total */
export async function listChanges(
  db: Queryable,
  { storeId, paymentId, test }: ChangeFilter,
  page: Page,
): Promise<Paged<Change>> {
  const hash = sql<
    string | null
  >`(select encode(h.hash, 'hex') from change_hashes h where h.change_id = changes.id)`;
  const changes = db.selectFrom('changes').select(columns).select(hash.as('hash')).orderBy('id', 'desc');
  if (paymentId !== undefined) return readPage(changes.where('paymentId', '=', paymentId), page);
  if (storeId === undefined) return readPage(changes.where(isOfKind(test, { store: 'storeId' })), page);
  return readPage(changes.where('storeId', '=', storeId).where('paymentId', 'is', null), page);
}
