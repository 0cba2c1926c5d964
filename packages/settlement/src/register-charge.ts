import { txidOf } from '@payments/domain/identifiers';
import type { Charge, PixClient } from '@payments/pix/client';
import { isVerdict } from './failures.ts';

export type ChargeTerms = {
  id: string;
  storeId: string;
  /** Shown to the payer. */
  storeName: string;
  amount: number;
  expiresAt: Date;
  /** The time from which an earlier try may have registered it, without a response; undefined for the first try. */
  triedSince?: Date | undefined;
};

// Covers differences of clocks, and the time of a request.
const toleranceMs = 10_000;

/**
 * Registers a payment's charge at the PSP under our txid. After a try without a response it first reads the charge, and
 * uses it or sets it again (API Pix 2.9, PUT /cob/{txid}).
 * @returns the copy-and-paste code, payable until `expiresAt`. A PSP that accepts a txid once keeps the earlier try's
 * deadline
 * @throws PixUnavailable, PixRefused
 */
export async function registerCharge(pix: PixClient, terms: ChargeTerms, now: Date): Promise<string> {
  const known = terms.triedSince ? await pix.getCharge(txidOf(terms.id)) : null;
  const isWanted = known !== null && isAsWanted(known, terms);
  const charge = isWanted
    ? known
    : await putCharge(pix, terms, registeredAt(known, terms, now) ?? now).catch((error: unknown) => {
        if (isVerdict(error) && known !== null && isPayable(known, terms, now)) return known;
        throw error;
      });
  if (charge.copyAndPaste === null) {
    throw new Error(`the PSP registered ${terms.id} without a code or a location`);
  }
  return charge.copyAndPaste;
}

/**
 * @returns the start of the time to pay; undefined if the PSP's time lies before any try or in the future: its clock
 * differs
 */
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

/** In epoch milliseconds; null if the PSP gives none. */
function endOf({ createdAt, expiresInSeconds }: Charge): number | null {
  if (createdAt === null || expiresInSeconds === null) return null;
  return createdAt.getTime() + expiresInSeconds * 1_000;
}

function putCharge(pix: PixClient, terms: ChargeTerms, from: Date): Promise<Charge> {
  const { id, amount, expiresAt, storeName: payerMessage, storeId } = terms;
  const expiresInSeconds = Math.max(1, Math.floor((expiresAt.getTime() - from.getTime()) / 1_000));
  return pix.putCharge(txidOf(id), { amount, expiresInSeconds, payerMessage, storeId });
}
