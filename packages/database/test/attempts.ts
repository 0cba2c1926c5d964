import type { Test } from 'tap';
import type { Database } from '../src/connection.ts';
import { type AttemptRecord, recordAttempts } from '../src/deliveries/attempts.ts';
import type { ClaimedDelivery } from '../src/deliveries/claimed-delivery.ts';
import { claimDueDeliveries } from '../src/deliveries/claims.ts';

export const claimDue = (db: Database) =>
  claimDueDeliveries(db, { limit: 10, leaseMs: 60_000, free: new Map(), perEndpoint: 10, failing: true });

export async function claimOne(db: Database): Promise<ClaimedDelivery> {
  const claimed = await claimDue(db);
  if (claimed.length !== 1) throw new Error(`claimed ${claimed.length} deliveries, not one`);
  return claimed[0]!;
}

export const delivered: AttemptRecord = {
  startedAt: new Date(),
  durationMs: 1,
  statusCode: 200,
  stage: null,
  error: null,
  responseExcerpt: null,
  state: 'delivered',
  retryInMs: null,
};
export const failed: AttemptRecord = {
  ...delivered,
  statusCode: 500,
  state: 'pending',
  retryInMs: 3_600_000,
};

/** @returns whether the claim held */
export const record = async (db: Database, delivery: ClaimedDelivery, result = delivered) =>
  (await recordAttempts(db, [{ delivery, record: result, judge: () => null }])).held.size === 1;

/** This delivery, and no other, can be claimed now. */
export async function assertDue(t: Test, db: Database, id: string): Promise<void> {
  t.same(
    (await claimDue(db)).map((delivery) => delivery.id),
    [id],
  );
}
