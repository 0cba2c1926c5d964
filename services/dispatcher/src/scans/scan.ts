import type { SettlementContext } from '@payments/settlement/context';

/** One timed look at the database for work that time alone brings. @returns whether there may be more at once */
export type Scan = (context: SettlementContext) => Promise<boolean>;

/**
 * How much of what takes a call to the PSP each is claimed at once: as much as is done before its lease ends, so that
 * what a killed process had taken is soon taken up again.
 */
export const atThePsp = { claimed: 20, atOnce: 10, leaseMs: 15_000 };

/** A backlog of refunds is ordered and made beside everything else, at the machine and at the PSP. */
export const refundsPerSecond = 100;
