import { claimCancelled, claimUnregistered } from '@payments/database/charges/charges';
import { registerLate, withdrawCharge } from '../../src/charges/follow-charge.ts';
import type { BankContext } from '../../src/context.ts';

/**
 * Follows the charges that are due at the bank: registers those that no bank took, and withdraws cancelled ones.
 * @returns how many were due
 */
export async function followCharges(context: BankContext): Promise<number> {
  const { db, bank, now } = context;
  const lease = { bank, limit: 100, leaseMs: 60_000, now: now() };
  const waiting = await claimUnregistered(db, lease);
  await Promise.all(waiting.map((payment) => registerLate(context, payment)));
  const cancelled = await claimCancelled(db, lease);
  await Promise.all(cancelled.map((payment) => withdrawCharge(context, payment)));
  return waiting.length + cancelled.length;
}
