import type { Database } from '@payments/database/connection';
import type { Banks } from '@payments/pix/banks';
import type { PixClient } from '@payments/pix/client';
import { PixUnavailable } from '@payments/pix/errors';
import type { Logger } from 'pino';

/** The needs of settlement: the database, the banks, the address of QR images, and the time limits. */
export type SettlementContext = {
  db: Database;
  banks: Banks;
  log: Logger;
  /** The one clock of all processes: PostgreSQL's. */
  now: () => Date;
  publicUrl: string;
  /** Seconds from each refusal of a refund by the bank to the service's next order. */
  refundRetrySeconds: readonly number[];
  /** The time from a charge's expiry to its closing: a Pix that was paid in time may be seen late. */
  chargeGraceSeconds: number;
  /** Whether a lost payment is created anew from its paid charge. */
  recoversPayments: boolean;
};

/** Settlement at one bank: all that it asks, it asks there. */
export type BankContext = SettlementContext & { bank: string; pix: PixClient };

/**
 * @param id the bank that a payment or a Pix belongs to; null for none yet
 * @throws PixUnavailable if it is not configured (any more)
 */
export function atBankOf<Context extends SettlementContext>(
  context: Context,
  id: string | null,
): Context & BankContext {
  const bank = id === null ? undefined : context.banks.find(id);
  if (!bank) throw new PixUnavailable('any', 'not-configured', id ?? 'no bank has the charge');
  return { ...context, bank: bank.id, pix: bank.client };
}
