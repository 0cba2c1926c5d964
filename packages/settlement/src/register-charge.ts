import { txidOf } from '@payments/domain/identifiers';
import type { Charge, PixClient } from '@payments/pix/client';

export type ChargeTerms = {
  id: string;
  amount: number;
  expiresAt: Date;
  /** Since when an earlier try may have registered it, though nobody heard of that; undefined for the first try. */
  triedSince?: Date | undefined;
};

// Clocks differ, and a request takes its time.
const toleranceMs = 10_000;

/**
 * Registers a payment's charge at the PSP. The txid is ours, so after a try whose outcome nobody knows, the charge that
 * it may have registered is read, and taken, or set anew (API Pix 2.9, PUT /cob/{txid}).
 * @returns the copy-and-paste code, which can be paid until `expiresAt`
 * @throws PixUnavailable, PixRefused
 */
export async function registerCharge(pix: PixClient, terms: ChargeTerms, now: Date): Promise<string> {
  const known = terms.triedSince ? await pix.getCharge(txidOf(terms.id)) : null;
  const isWanted = known !== null && isAsWanted(known, terms);
  const charge = isWanted ? known : await putCharge(pix, terms, registeredAt(known, terms, now) ?? now);
  if (charge.copyAndPaste === null) {
    throw new Error(`the PSP registered ${terms.id} without a code or a location`);
  }
  return charge.copyAndPaste;
}

/** What the time to be paid is counted from. A PSP that says a time before any try, or one to come, has another clock. */
function registeredAt(known: Charge | null, { triedSince }: ChargeTerms, now: Date): Date | undefined {
  if (!known?.createdAt || !triedSince) return undefined;
  const at = known.createdAt.getTime();
  const isOurs = at > triedSince.getTime() - toleranceMs && at < now.getTime() + toleranceMs;
  return isOurs ? known.createdAt : undefined;
}

function isAsWanted(charge: Charge, terms: ChargeTerms): boolean {
  if (charge.status !== 'ATIVA' || charge.amount !== terms.amount || charge.copyAndPaste === null)
    return false;
  const { createdAt, expiresInSeconds } = charge;
  if (createdAt === null || expiresInSeconds === null) return false;
  const expiresAt = createdAt.getTime() + expiresInSeconds * 1_000;
  return Math.abs(expiresAt - terms.expiresAt.getTime()) < toleranceMs;
}

function putCharge(pix: PixClient, { id, amount, expiresAt }: ChargeTerms, from: Date): Promise<Charge> {
  const expiresInSeconds = Math.max(1, Math.floor((expiresAt.getTime() - from.getTime()) / 1_000));
  return pix.putCharge(txidOf(id), { amount, expiresInSeconds });
}
