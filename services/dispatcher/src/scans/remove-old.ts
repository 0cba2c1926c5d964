import { forgetIdleEndpoints, removeOldDeliveries } from '@payments/database/deliveries/retention';
import { inBatches, type Scan } from './scan.ts';

/** Deletes finished deliveries after their retention time, and then idle failing endpoints. */
export const removeOld = (retentionDays: number): Scan =>
  inBatches(500, async ({ db, now }, limit) => {
    const before = new Date(now().getTime() - retentionDays * 24 * 60 * 60_000);
    await forgetIdleEndpoints(db, { before, limit });
    return removeOldDeliveries(db, { before, limit });
  });
