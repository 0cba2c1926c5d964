import { foldTotals } from '@payments/database/totals/fold';
import type { Scan } from './scan.ts';

/** Folds the changes of the totals into the kept days, so that a total reads few rows. */
export const foldChanges: Scan = async ({ db }) => {
  const limit = 10_000;
  return (await foldTotals(db, limit)) === limit;
};
