import { type ChargeWork, recordChargeProblem } from '@payments/database/charges/problems';
import type { BankError } from '@payments/domain/bank-error';
import { txidOf } from '@payments/domain/identifiers';
import { PixRefused, PixUnavailable } from '@payments/pix/errors';
import type { BankContext } from './context.ts';

/** How far an answer of the bank is believed, and when it is asked again. */

/** @returns whether the PSP understood the request and refuses it: another try, or another bank, says the same */
export function isVerdict(error: unknown): error is PixRefused {
  return error instanceof PixRefused && !error.aboutAccess;
}

/** @returns whether the PSP was not asked: that says nothing of this charge */
export function isNotAsked(error: unknown): boolean {
  return error instanceof PixUnavailable && error.isNotAsked;
}

export type Pauses = { firstMs: number; longestMs: number };

/** @returns the time of the next try: the pause doubles with each try, up to the longest */
export function tryAgainAt(tries: number, now: Date, { firstMs, longestMs }: Pauses): Date {
  const doubled = firstMs * 2 ** Math.min(Math.max(0, tries - 1), 30);
  return new Date(now.getTime() + Math.min(longestMs, doubled));
}

/** The bank's responses in a row, some time apart, after which what they do not show is believed not to be there. */
export const looksUntilBelieved = 4;

/** The pauses between looks: a bank's copies are equal again within seconds. */
export const lookPauses = { firstMs: 5_000, longestMs: 30_000 };

/**
 * One answer proves nothing: a bank's copies lag behind each other, and a request that hung may reach its books late.
 * @param looks how many responses in a row did not show it, this one included
 */
export function isBelieved(looks: number): boolean {
  return looks >= looksUntilBelieved;
}

/**
 * Counts a response of the bank by which a charge can't be paid, and shows that as a problem of the work.
 * @param error the bank's word: it has no such charge, or has removed it
 * @returns the time of the next look; undefined once the bank's word is believed
 */
export async function nextLook(
  { db, bank, now }: BankContext,
  { paymentId, work, error }: { paymentId: string; work: ChargeWork; error: BankError },
): Promise<Date | undefined> {
  const at = now();
  const about = { bank, txid: txidOf(paymentId), work, paymentId, error };
  const { looks } = await recordChargeProblem(db, { ...about, now: at, isLook: true });
  return isBelieved(looks) ? undefined : tryAgainAt(looks, at, lookPauses);
}
