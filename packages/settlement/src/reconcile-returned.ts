import { advanceCursor, readCursor } from '@payments/database/cursors';
import type { SettlementContext } from './context.ts';
import { settleListed } from './reconcile.ts';

const cursorName = 'returned-pix';
const hour = 60 * 60_000;
const everyMs = 6 * hour;
// A payer's bank may ask for a Pix back for 80 days (MED), and a refund may be made for 90.
const lookBackMs = 91 * 24 * hour;

/**
 * Finds refunds of Pix whose callback never came, however long ago the Pix was: the list of recent Pix, by which
 * `reconcile` goes, no longer shows one that a bank takes back after weeks. Does nothing more often than every six hours.
 */
export async function reconcileReturned(context: SettlementContext): Promise<void> {
  const { db, now } = context;
  const to = now();
  const last = await readCursor(db, cursorName);
  if (last && to.getTime() - last.getTime() < everyMs) return;
  await settleListed(context, { from: new Date(to.getTime() - lookBackMs), to, returned: true });
  await advanceCursor(db, cursorName, to);
}
