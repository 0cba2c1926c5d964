import type { BankContext, SettlementContext } from '@payments/settlement/context';

/**
 * A timed task on rows that fall due with time.
 * @returns whether there may be more at once
 */
export type Scan = (context: SettlementContext) => Promise<boolean>;

/** The same, at one bank. Each bank has its own run: one that hangs holds up no other's. */
export type BankScan = (context: BankContext) => Promise<boolean>;

/**
 * How much work at a bank is claimed at once: what is done before the lease ends, so that a killed process's work is
 * soon claimed again.
 */
export const atThePsp = { claimed: 20, atOnce: 10, leaseMs: 15_000 };

/** Refunds are paced, so that a backlog leaves room for other work, here and at the PSP. */
export const refundsPerSecond = 100;

/** @returns whether the bank answers, as far as this process knows */
export function isAnswering({ pix }: BankContext): boolean {
  return pix.breakers.others.state() === 'closed';
}
