import type { BankContext, SettlementContext } from '@payments/settlement/context';

/**
 * A timed task on rows that fall due with time.
 * @returns whether there may be more at once
 */
export type Scan = (context: SettlementContext) => Promise<boolean>;

/** The same, at one bank. Each bank has its own run, so that one that hangs delays no other. */
export type BankScan = (context: BankContext) => Promise<boolean>;

/**
 * The amount of work at a bank that is claimed at once. It is done before the lease ends, so that others soon claim a
 * killed process's work.
 */
export const atThePsp = { claimed: 20, atOnce: 10, leaseMs: 15_000 };

/** Refunds are paced, so that a backlog leaves room for other work, here and at the PSP. */
export const refundsPerSecond = 100;

/** @returns true if the bank responds, as far as this process knows */
export function isAnswering({ pix }: BankContext): boolean {
  return pix.breakers.others.state() === 'closed';
}
