import type { ChangedValues } from '@payments/database/operations/change-actions';
import { type Author, recordChange } from '@payments/database/operations/changes';
import type { Actor } from '../../authentication/actor.ts';
import type { ApiContext } from '../../context.ts';

/** Who reads, and by what filters. */
export type Reading = { actor: Pick<Actor, 'storeId'>; by: Author; query: Record<string, unknown> };

type Context = Pick<ApiContext, 'db' | 'now'>;

// None of these can hold a person's data. A search text can, so only that there was one is recorded.
const filters = ['storeId', 'status', 'state', 'show', 'bank', 'from', 'to', 'paymentId'];

/**
 * Records that rows leave the service as a file. Call it once the filters are known to be valid.
 * @param ofStore the store of a statement
 */
export async function recordExport(
  { db, now }: Context,
  { actor, by, query }: Reading,
  { kind, ofStore }: { kind: 'payments' | 'refunds' | 'deliveries' | 'statement'; ofStore?: string },
): Promise<void> {
  const given = filters.flatMap((name) => {
    const value = query[name];
    return typeof value === 'string' && value !== '' ? [[name, value]] : [];
  });
  const to: ChangedValues = { kind, ...Object.fromEntries(given), ...(query.q ? { searched: true } : {}) };
  const storeId = ofStore ?? actor.storeId;
  await recordChange(db, by, { action: 'export.made', at: now(), storeId, to });
}

/** Records a search by e-mail, and not the e-mail. Other searches name no person. */
export async function recordSearch({ db, now }: Context, { actor, by, query }: Reading): Promise<void> {
  if (typeof query.q !== 'string' || !query.q.includes('@')) return;
  await recordChange(db, by, { action: 'search.by_email', at: now(), storeId: actor.storeId });
}
