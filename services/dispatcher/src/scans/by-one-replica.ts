import { takeTurn } from '@payments/database/charges/cursors';
import type { BankScan } from './scan.ts';

// Timers are not exact: the replica that had the last turn is not late for the next.
const shareOfInterval = 0.9;

/** Runs a scan on one of all replicas in each interval: the bank counts our calls, and lists are many of them. */
export function byOneReplica(name: string, intervalMs: number, scan: BankScan): BankScan {
  let goesOn = false;
  return async (context) => {
    const { db, bank, now } = context;
    const at = now();
    const since = new Date(at.getTime() - intervalMs * shareOfInterval);
    if (!goesOn && !(await takeTurn(db, { bank, name: `turn-${name}` }, { now: at, since }))) return false;
    goesOn = false;
    goesOn = await scan(context);
    return goesOn;
  };
}
