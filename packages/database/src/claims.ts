import { type RawBuilder, type SelectQueryBuilder, sql } from 'kysely';
import type { Schema } from './schema.ts';

/** How many rows a scan claims, and how long it has for them. */
export type Lease = { limit: number; leaseMs: number; now: Date };
export type LeaseAtBank = Lease & { bank: string };

/** @returns when the rows fall due again if the process that claims them dies */
export const endOf = ({ leaseMs, now }: Lease): Date => new Date(now.getTime() + leaseMs);

/**
 * For the `where` of a statement that sets a lease, or deletes.
 * @param rows at most as many as are wanted
 * @returns SQL: whether the row is one of these, and no other process holds it
 */
export function isFreeOf<Table extends keyof Schema>(
  rows: SelectQueryBuilder<Schema, Table, object>,
): RawBuilder<boolean> {
  const free = rows.select(sql<string>`ctid`.as('ctid')).forUpdate().skipLocked();
  return sql<boolean>`ctid = any(array(${free}))`;
}
