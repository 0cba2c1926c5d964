import { forgetIdleEndpoints, removeOldDeliveries } from '@payments/database/deliveries/retention';
import { forgetIdempotencyKeys } from '@payments/database/payments/idempotency-keys';
import type { Scan } from './scan.ts';

/** Deletes idempotency keys after 24 hours. */
export const forgetKeys: Scan = async (context) => {
  const limit = 1_000;
  return (await forgetIdempotencyKeys(context.db, context.now(), limit)) === limit;
};

/** Deletes finished deliveries after their retention time, and then idle failing endpoints. */
export const removeOld =
  (retentionDays: number): Scan =>
  async (context) => {
    const before = new Date(context.now().getTime() - retentionDays * 24 * 60 * 60_000);
    const limit = 500;
    await forgetIdleEndpoints(context.db, { before, limit });
    return (await removeOldDeliveries(context.db, { before, limit })) === limit;
  };
