import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import type { Database } from '../src/connection.ts';
import { type ClaimedDelivery, claimDeliveries } from '../src/deliveries/claim.ts';
import { readDue } from '../src/deliveries/due.ts';
import type { EndpointJudge } from '../src/deliveries/endpoints.ts';
import { renewLease } from '../src/deliveries/leases.ts';
import { type AttemptOutcome, concludeAttempts, recordAttempts } from '../src/deliveries/record.ts';

/** Claims all due deliveries for a dispatcher with a lease of a minute; a new one by default. */
export async function claimDue(
  db: Database,
  dispatcherId: string = randomUUID(),
): Promise<ClaimedDelivery[]> {
  await renewLease(db, dispatcherId, 60_000);
  const deliveries = await readDue(db, 1_000);
  return claimDeliveries(db, { dispatcherId, deliveries, probeMs: 60_000 });
}

export async function claimOne(db: Database): Promise<ClaimedDelivery> {
  const claimed = await claimDue(db);
  if (claimed.length !== 1) throw new Error(`claimed ${claimed.length} deliveries, not one`);
  return claimed[0]!;
}

/** Ends every lease, as when all dispatchers are killed, without the wait. */
export async function endLeases(db: Database): Promise<void> {
  await db
    .updateTable('dispatchers')
    .set({ leasedUntil: new Date(0) })
    .execute();
}

type Result = Omit<AttemptOutcome, 'delivery'>;

export const delivered: Result = {
  attempt: {
    startedAt: new Date(),
    durationMs: 1,
    statusCode: 200,
    error: null,
    responseExcerpt: null,
  },
  state: 'delivered',
  retryInMs: null,
  endpointSucceeded: true,
};
export const failed: Result = {
  attempt: { ...delivered.attempt, statusCode: 500, error: { stage: null, code: 'status', detail: '500' } },
  state: 'pending',
  retryInMs: 3_600_000,
  endpointSucceeded: false,
};
/** A failure that says nothing about its endpoint. */
export const unsaid: Result = { ...failed, endpointSucceeded: null };

/** Counts failures, and opens a circuit for a minute at the second. */
export const judge: EndpointJudge = (health, { succeeded }) => {
  if (succeeded) return null;
  const failures = (health?.failures ?? 0) + 1;
  const failingSince = health?.failingSince ?? new Date();
  const openUntil = failures > 1 ? new Date(Date.now() + 60_000) : null;
  return { failures, openings: 0, openUntil, failingSince };
};

export async function recordAll(db: Database, outcomes: AttemptOutcome[]) {
  const recorded = await recordAttempts(db, outcomes);
  await concludeAttempts(db, judge, recorded);
  return recorded;
}

/** @returns whether the claim held */
export const record = async (db: Database, delivery: ClaimedDelivery, result: Result = delivered) =>
  (await recordAll(db, [{ delivery, ...result }])).held.size === 1;

/** Asserts that this delivery, and no other, can be claimed now. */
export async function assertDue(t: Test, db: Database, id: string): Promise<void> {
  t.same(
    (await claimDue(db)).map((delivery) => delivery.id),
    [id],
  );
}
