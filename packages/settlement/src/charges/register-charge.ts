import { txidOf } from '@payments/domain/identifiers';
import type { Matching } from '@payments/domain/route-charge';
import type { Bank } from '@payments/pix/banks';
import type { Charge, PixClient, RegisteredCharge, UsableCharge } from '@payments/pix/client';
import { isSameKey } from '@payments/pix/keys';
import type { Logger } from 'pino';
import { isVerdict } from '../answers.ts';

export type ChargeTerms = {
  id: string;
  storeId: string;
  /** Whether its store is a test store. */
  test: boolean;
  /** Shown to the payer, as are the two below. */
  storeName: string;
  reference: string | null;
  description: string | null;
  amount: number;
  expiresAt: Date;
  /** The time from which an earlier try may have registered it, without a response; undefined for the first try. */
  triedSince?: Date | undefined;
};

// Covers differences of clocks, and the time of a request.
const toleranceMs = 10_000;

/**
 * Registers a payment's charge at a bank that it may go to, under our txid. After a try without a response it first reads the charge, and
 * uses it or sets it again (API Pix 2.9, PUT /cob/{txid}).
 * @returns the copy-and-paste code, payable until `expiresAt`. A PSP that accepts a txid once keeps the earlier try's
 * deadline
 * @throws PixUnavailable, PixRefused
 */
export async function registerCharge(
  { terms, bank: { client: pix } }: Matching<ChargeTerms, Pick<Bank, 'id' | 'client'>>,
  now: Date,
  log: Pick<Logger, 'warn'>,
): Promise<string> {
  const found = terms.triedSince ? await pix.getCharge(txidOf(terms.id)) : null;
  const known = found && isOfTerms(pix, found, terms) ? found : null;
  if (known && isUntilExpiry(known, terms)) return known.copyAndPaste;
  const from = registeredAt(found, terms, now) ?? now;
  const charge = await putCharge(pix, terms, from, log).catch((error: unknown) => {
    if (isVerdict(error) && known && isPayable(known, now)) return known;
    throw error;
  });
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

/** @returns whether a charge that was read is the payment's: ours, unpaid, for its amount, and with a code */
function isOfTerms(pix: PixClient, charge: Charge, { amount }: ChargeTerms): charge is UsableCharge {
  const { status, copyAndPaste, key } = charge;
  return status === 'ATIVA' && charge.amount === amount && copyAndPaste !== null && isSameKey(pix.key, key);
}

function isUntilExpiry(charge: Charge, { expiresAt }: ChargeTerms): boolean {
  const endsAt = endOf(charge);
  return endsAt !== null && Math.abs(endsAt - expiresAt.getTime()) < toleranceMs;
}

function isPayable(charge: Charge, now: Date): boolean {
  const endsAt = endOf(charge);
  return endsAt === null || endsAt > now.getTime();
}

/** @returns the end of its time to be paid, in epoch milliseconds; null if the PSP gives none */
export function endOf({ createdAt, expiresInSeconds }: Charge): number | null {
  if (createdAt === null || expiresInSeconds === null) return null;
  return createdAt.getTime() + expiresInSeconds * 1_000;
}

async function putCharge(
  pix: PixClient,
  { id, amount, expiresAt, storeName, storeId, reference, description }: ChargeTerms,
  from: Date,
  log: Pick<Logger, 'warn'>,
): Promise<RegisteredCharge> {
  const expiresInSeconds = Math.max(1, Math.floor((expiresAt.getTime() - from.getTime()) / 1_000));
  const shown = { storeName, payerMessage: description ?? '', reference: reference ?? '' };
  const charge = await pix.putCharge(txidOf(id), { amount, expiresInSeconds, ...shown, storeId });
  if (charge.refusedParts) {
    // If the database loses a payment without its store, nobody can tell whose it is.
    const what = charge.storeId === null ? 'its store' : 'what its payer reads';
    const failure = { paymentId: id, storeId, err: charge.refusedParts };
    log.warn(failure, `a charge was registered without ${what}`);
  }
  return charge;
}
