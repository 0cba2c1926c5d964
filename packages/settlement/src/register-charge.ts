import { txidOf } from '@payments/domain/identifiers';
import type { PixClient } from '@payments/pix/client';

export type ChargeTerms = { id: string; amount: number; expiresAt: Date };

/**
 * Registers a payment's charge at the PSP. The txid is ours, so repeating it, also after a time-out whose outcome
 * nobody knows, is an update of the same charge (API Pix 2.9, PUT /cob/{txid}).
 * @returns the copy-and-paste code
 * @throws PixUnavailable, PixRefused
 */
export async function registerCharge(
  pix: PixClient,
  { id, amount, expiresAt }: ChargeTerms,
  now: Date,
): Promise<string> {
  const expiresInSeconds = Math.max(1, Math.floor((expiresAt.getTime() - now.getTime()) / 1_000));
  const charge = await pix.putCharge(txidOf(id), { amount, expiresInSeconds });
  if (charge.copyAndPaste === null) throw new Error(`the PSP registered ${id} without a code or a location`);
  return charge.copyAndPaste;
}
