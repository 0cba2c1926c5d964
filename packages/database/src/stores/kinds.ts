import { testBank } from '@payments/domain/route-charge';
import { type RawBuilder, sql } from 'kysely';

/** Selects what is of test stores (true), of the others (false), or of both (Contract: test stores). */
export type KindFilter = { test?: boolean | undefined };

/** The columns that tell a row's kind: its store, the bank that it is at, or both where the store may be null. */
type Told = { store?: string; bank?: string };

/** @returns SQL: whether a row is of the kind */
export function isOfKind(test: boolean | undefined, { store, bank }: Told): RawBuilder<boolean> {
  if (test === undefined) return sql<boolean>`true`;
  const isTest = [
    ...(store === undefined ? [] : [sql`${sql.ref(store)} in (select id from stores where test)`]),
    ...(bank === undefined ? [] : [sql`${sql.ref(bank)} = ${testBank}`]),
  ];
  return sql<boolean>`(coalesce(${sql.join(isTest, sql` or `)}, false) = ${test})`;
}
