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

/** @returns a scan that works on at most `limit` rows a turn. `work` returns how many there were */
export function inBatches<Context extends SettlementContext>(
  limit: number,
  work: (context: Context, limit: number) => Promise<number>,
): (context: Context) => Promise<boolean> {
  return async (context) => (await work(context, limit)) === limit;
}

/** @returns a scan that looks at charges at a bank, all that it claims at once. `look` returns how many it claimed */
export function looking(
  look: (context: BankContext, lease: { limit: number; leaseMs: number }) => Promise<number>,
): BankScan {
  const { atOnce, leaseMs } = atThePsp;
  const scan = inBatches(atOnce, (context: BankContext, limit) => look(context, { limit, leaseMs }));
  return async (context) => (await scan(context)) && isAnswering(context);
}

/** Refunds are paced, so that a backlog leaves room for other work, here and at the PSP. */
export const refundsPerSecond = 100;

/** @returns true if the bank responds, as far as this process knows */
export function isAnswering({ pix }: BankContext): boolean {
  return pix.breakers.others.state() === 'closed';
}
