import type { Queryable } from '@payments/database/connection';
import type { Page } from '@payments/database/filters';
import type { ChangeAction, ChangedValues } from '@payments/database/record/change-actions';
import type { Author } from '@payments/database/record/changes';
import { recordRepeated } from '@payments/database/record/repeated-changes';
import { isId, paymentIdOf } from '@payments/domain/identifiers';
import type { Actor } from '../../access/actor.ts';
import type { AdministrationContext } from '../../context.ts';
import { networkOf } from '../../http/bounds.ts';
import type { Columns } from '../../http/csv.ts';

/** Records of exports, searches, refusals and sign-ins. A change is recorded in its own transaction. */

type Context = Pick<AdministrationContext, 'db' | 'now'>;
type PagingContext = Pick<AdministrationContext, 'db' | 'now' | 'takenRows'>;

/** An act that can be repeated without effect. */
type Act = {
  action: ChangeAction;
  storeId: string | null;
  /** The account concerned, if there is one. */
  subject?: string;
  to?: ChangedValues;
  /** The part that tells it from others of the same action, such as the operation that was refused. */
  kind?: string;
};

/**
 * Records an act that can be repeated without effect: a few times per actor and kind in ten minutes, and then its number.
 * The actor is the account or key; where nobody is known, the address with the account that it concerns.
 */
export async function recordAct({ db, now }: Context, by: Author, { kind, ...act }: Act): Promise<void> {
  const who = by.id ?? by.name;
  const actor = who ?? `${networkOf(by.address ?? '')} ${act.subject ?? ''}`.trim();
  const change = { ...act, at: now() };
  await recordRepeated(db, { actor, isAnonymous: who === null, by, change, ...(kind && { kind }) });
}

/** A reading: the actor, the author of its record, and the filters. */
export type Reading = { actor: Pick<Actor, 'storeId'>; by: Author; query: Record<string, unknown> };

const isName = (value: string) => /^[a-z][a-z\d_-]{0,39}$/.test(value);
const isTime = (value: string) => /^\d{4}-\d{2}-\d{2}(T[\d:.]{5,15}(Z|[+-]\d{2}:\d{2})?)?$/.test(value);

// A value of its filter's own form holds no person's data. A search text may, so only that there was one is recorded.
const forms = {
  storeId: isId,
  paymentId: isId,
  status: isName,
  state: isName,
  show: isName,
  bank: isName,
  from: isTime,
  to: isTime,
};

// A parameter that the list does not read was never checked: it may be anything, and the record keeps it for good.
const filters = {
  payments: ['storeId', 'status', 'bank', 'from', 'to'],
  refunds: ['storeId', 'state', 'show', 'bank', 'from', 'to'],
  deliveries: ['storeId', 'paymentId', 'state', 'from', 'to'],
  statement: ['from', 'to'],
} as const;

type List = keyof typeof filters;

/** A list that leaves the service as a file: its columns, and the reader of the rows after one. */
export type ExportedList<Row, Filter> = {
  kind: List;
  columns: Columns<Row>;
  readAfter(db: Queryable, filter: Filter, from: { after: Row | undefined; limit: number }): Promise<Row[]>;
};

function givenIn(query: Record<string, unknown>, list: List): ChangedValues {
  const given = filters[list].flatMap((name) => {
    const value = query[name];
    return typeof value === 'string' && forms[name](value) ? [[name, value]] : [];
  });
  return { ...Object.fromEntries(given), ...(list === 'payments' && query.q ? { searched: true } : {}) };
}

/**
 * Records that rows leave the service as a file. Call it once the filters are known to be valid.
 * @param ofStore the store of a statement
 */
export async function recordExport(
  context: Context,
  { actor, by, query }: Reading,
  { kind, ofStore }: { kind: List; ofStore?: string },
): Promise<void> {
  const storeId = ofStore ?? actor.storeId;
  const to: ChangedValues = { kind, ...givenIn(query, kind) };
  await recordAct(context, by, { action: 'export.made', storeId, to, kind: `${kind} ${storeId ?? ''}` });
}

const endToEndId = /^[DE]\d{8}\d{12}[0-9a-z]{11}$/i;

/** A whole id of a payment, a charge or a Pix, by which nobody looks for a person. */
const isWholeId = (text: string) => isId(text) || paymentIdOf(text) !== undefined || endToEndId.test(text);

/** Records that there was a search by a text, which may be a part of an e-mail or a name, but not the text. */
export async function recordSearch(
  context: Context,
  { actor: { storeId }, by, query: { q } }: Reading,
): Promise<void> {
  if (typeof q !== 'string' || q === '' || isWholeId(q)) return;
  await recordAct(context, by, { action: q.includes('@') ? 'search.by_email' : 'search.by_text', storeId });
}

const unrecordedPages = 3;

type PagedList = { kind: Exclude<List, 'statement'>; page: Page };

/**
 * Reads a page of a list whose rows name persons. An export by hand is on record before the page is given: each page after
 * the first few, and in ten minutes more rows than those have, however they are asked for.
 */
export async function pageOnRecord<Found extends { items: readonly { id: string }[] }>(
  context: PagingContext,
  { actor: { storeId }, by, query }: Reading,
  { kind, page: { page, limit } }: PagedList,
  read: () => Promise<Found>,
): Promise<Found> {
  const found = await read();
  const ids = found.items.map(({ id }) => id);
  const rows = context.takenRows({ who: `${by.id ?? by.name} ${kind}`, ids, at: context.now() });
  const to = { kind, ...givenIn(query, kind) };
  const act = { action: 'list.paged', storeId } as const;
  if (page > unrecordedPages) await recordAct(context, by, { ...act, to: { ...to, page, limit }, kind });
  if (rows !== undefined) await recordAct(context, by, { ...act, to: { ...to, rows }, kind: `${kind} rows` });
  return found;
}
