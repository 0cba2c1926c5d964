import { forgetIdleEndpoints, removeOldDeliveries } from '@payments/database/deliveries/retention';
import { forgetIdempotencyKeys } from '@payments/database/payments/idempotency-keys';
import { createPace } from '@payments/runtime/pace';
import type { Scan } from './scan.ts';

/** Deletes idempotency keys after 24 hours. */
export const forgetKeys: Scan = async (context) => {
  const limit = 1_000;
  return (await forgetIdempotencyKeys(context.db, context.now(), limit)) === limit;
};

// A month that falls due at once leaves room for sales: 5,000 rows a second, of each dispatcher.
const batchesPerSecond = 10;
const batch = 500;

/** Deletes finished deliveries after their retention time, and then idle failing endpoints. */
export function removeOld(retentionDays: number): Scan {
  const pace = createPace(batchesPerSecond);
  return async (context) => {
    await pace();
    const before = new Date(context.now().getTime() - retentionDays * 24 * 60 * 60_000);
    await forgetIdleEndpoints(context.db, { before, limit: batch });
    return (await removeOldDeliveries(context.db, { before, limit: batch })) === batch;
  };
}
