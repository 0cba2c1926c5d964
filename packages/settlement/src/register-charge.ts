import { createdAtOf, txidOf } from '@payments/domain/identifiers';
import type { Charge, PixClient } from '@payments/pix/client';
import { PixRefused } from '@payments/pix/errors';

export type ChargeTerms = { id: string; amount: number; expiresAt: Date };

// Clocks differ, and a request takes its time: less than this says nothing.
const toleranceMs = 1_000;

/**
 * Registers a payment's charge at the PSP. The txid is ours, so repeating it, also after a time-out whose outcome
 * nobody knows, is an update of the same charge (API Pix 2.9, PUT /cob/{txid}).
 * @returns the copy-and-paste code, which can be paid until `expiresAt`
 * @throws PixUnavailable, PixRefused
 */
export async function registerCharge(pix: PixClient, terms: ChargeTerms, now: Date): Promise<string> {
  const { copyAndPaste } = await register(pix, terms, now).catch((error: unknown) =>
    taken(pix, terms, error),
  );
  if (copyAndPaste === null) throw new Error(`the PSP registered ${terms.id} without a code or a location`);
  return copyAndPaste;
}

async function register(pix: PixClient, { id, amount, expiresAt }: ChargeTerms, now: Date): Promise<Charge> {
  const put = (from: Date) => {
    const expiresInSeconds = Math.max(1, Math.floor((expiresAt.getTime() - from.getTime()) / 1_000));
    return pix.putCharge(txidOf(id), { amount, expiresInSeconds });
  };
  const charge = await put(now);
  // Its time is counted from when it was first registered.
  const since = registeredBefore(charge, id, now);
  return since ? put(since) : charge;
}

/** Some PSPs take a txid once, and answer 409 then: the charge is there, if an earlier try reached it. */
async function taken(pix: PixClient, { id, amount }: ChargeTerms, error: unknown): Promise<Charge> {
  if (!(error instanceof PixRefused) || error.status !== 409) throw error;
  const charge = await pix.getCharge(txidOf(id));
  if (charge?.status !== 'ATIVA' || charge.amount !== amount) throw error;
  return charge;
}

/**
 * @returns when an earlier try, whose answer nobody got, registered the charge; undefined where none did. The payment's
 *   id is older than every try: a PSP that says an earlier time has another clock, and is not believed.
 */
function registeredBefore({ createdAt }: Charge, id: string, now: Date): Date | undefined {
  if (!createdAt || now.getTime() - createdAt.getTime() < toleranceMs) return undefined;
  return createdAt.getTime() > createdAtOf(id).getTime() - toleranceMs ? createdAt : undefined;
}
