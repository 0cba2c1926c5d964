import { txidOf } from '@payments/domain/identifiers';
import type { Charge, PixClient } from '@payments/pix/client';
import { PixRefused } from '@payments/pix/errors';

export type ChargeTerms = {
  id: string;
  storeId: string;
  /** The payer sees it. */
  storeName: string;
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
 * @returns the copy-and-paste code, which can be paid until `expiresAt`; or, where a PSP takes a txid only once, for as
 *   long as the earlier try said
 * @throws PixUnavailable, PixRefused
 */
export async function registerCharge(pix: PixClient, terms: ChargeTerms, now: Date): Promise<string> {
  const known = terms.triedSince ? await pix.getCharge(txidOf(terms.id)) : null;
  const isWanted = known !== null && isAsWanted(known, terms);
  const charge = isWanted
    ? known
    : await putCharge(pix, terms, registeredAt(known, terms, now) ?? now).catch((error: unknown) => {
        const isVerdict = error instanceof PixRefused && !error.aboutAccess;
        if (isVerdict && known !== null && isPayable(known, terms, now)) return known;
        throw error;
      });
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
  const endsAt = endOf(charge);
  if (endsAt === null || !isOfTerms(charge, terms)) return false;
  return Math.abs(endsAt - terms.expiresAt.getTime()) < toleranceMs;
}

function isPayable(charge: Charge, terms: ChargeTerms, now: Date): boolean {
  const endsAt = endOf(charge);
  return isOfTerms(charge, terms) && (endsAt === null || endsAt > now.getTime());
}

const isOfTerms = ({ status, amount, copyAndPaste }: Charge, terms: ChargeTerms) =>
  status === 'ATIVA' && amount === terms.amount && copyAndPaste !== null;

/** In epoch milliseconds; null where the PSP does not say. */
function endOf({ createdAt, expiresInSeconds }: Charge): number | null {
  if (createdAt === null || expiresInSeconds === null) return null;
  return createdAt.getTime() + expiresInSeconds * 1_000;
}

function putCharge(pix: PixClient, terms: ChargeTerms, from: Date): Promise<Charge> {
  const { id, amount, expiresAt, storeName: payerMessage, storeId } = terms;
  const expiresInSeconds = Math.max(1, Math.floor((expiresAt.getTime() - from.getTime()) / 1_000));
  return pix.putCharge(txidOf(id), { amount, expiresInSeconds, payerMessage, storeId });
}
