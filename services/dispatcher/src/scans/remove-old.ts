import { forgetIdleEndpoints, removeOldDeliveries } from '@payments/database/deliveries/retention';
import { createPace } from '@payments/runtime/pace';
import { inBatches, type Scan } from './scan.ts';

// A month that falls due at once leaves room for sales: 5,000 rows a second, of each dispatcher.
const batchesPerSecond = 10;
const batch = 500;

/** Deletes finished deliveries after their retention time, and then idle failing endpoints. */
export function removeOld(retentionDays: number): Scan {
  const pace = createPace(batchesPerSecond);
  return inBatches(batch, async ({ db, now }, limit) => {
    await pace();
    const before = new Date(now().getTime() - retentionDays * 24 * 60 * 60_000);
    await forgetIdleEndpoints(db, { before, limit });
    return removeOldDeliveries(db, { before, limit });
  });
}
