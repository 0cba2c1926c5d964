import type { Database } from '@payments/database/connection';
import { enterEvents, findUnledgered } from '@payments/database/ledger';
import type { Logger } from 'pino';

const batchSize = 500;

/**
 * Enters events that have been committed for a while and still have no delivery: whatever JetStream's retention,
 * its dedupe window or a lost stream let slip.
 * @returns whether there may be more
 */
export async function reconcileLedger(
  { db, log }: { db: Database; log: Logger },
  olderThan: Date,
): Promise<boolean> {
  const ids = await findUnledgered(db, { olderThan, limit: batchSize });
  if (ids.length === 0) return false;
  const entered = await enterEvents(db, ids);
  log.warn({ events: ids.length, entered }, 'events had not reached the ledger by JetStream');
  return ids.length === batchSize;
}
