import { expiresAt } from './charges.ts';
import { rewriteJournal, wholeLines } from './journal.ts';
import type { Entry } from './ledger.ts';

/** Drops from a journal the charges that nothing happened to since a moment, with their Pix and locations. */
export function dropOldCharges(file: string, since: number): void {
  const lastUse = new Map<string, number>();
  for (const line of wholeLines(file)) {
    const entry: Entry = JSON.parse(line);
    const txid = txidOf(entry);
    if (txid !== null) lastUse.set(txid, Math.max(lastUse.get(txid) ?? 0, usedAt(entry)));
  }
  const old = new Set([...lastUse].filter(([, at]) => at < since).map(([txid]) => txid));
  if (old.size > 0) rewriteJournal(file, (entry) => !old.has(txidOf(entry as Entry) ?? ''));
}

function txidOf(entry: Entry): string | null {
  if ('charge' in entry) return entry.charge.txid;
  if ('pix' in entry) return entry.pix.txid;
  return 'location' in entry ? entry.location.txid : null;
}

/** When a charge ends, a Pix came, or its last refund is settled. */
function usedAt(entry: Entry): number {
  if ('charge' in entry) return expiresAt(entry.charge);
  if (!('pix' in entry)) return 0;
  const { paidAt, refunds } = entry.pix;
  return Math.max(paidAt, ...refunds.map(({ settlesAt }) => settlesAt));
}
