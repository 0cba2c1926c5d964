import type { SettlementContext } from '@payments/settlement/context';

/**
 * A timed task on rows that fall due with time.
 * @returns whether there may be more at once
 */
export type Scan = (context: SettlementContext) => Promise<boolean>;

/**
 * How much PSP work is claimed at once: what is done before the lease ends, so that a killed process's work is soon
 * claimed again.
 */
export const atThePsp = { claimed: 20, atOnce: 10, leaseMs: 15_000 };

/** Refunds are paced, so that a backlog leaves room for other work, here and at the PSP. */
export const refundsPerSecond = 100;
