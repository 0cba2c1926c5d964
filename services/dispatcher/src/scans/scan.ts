import type { StoredPayment } from '@payments/database/payments/payments';
import type { BankContext, SettlementContext } from '@payments/settlement/context';

/**
 * A timed task on rows that fall due with time.
 * @returns whether there may be more at once
 */
export type Scan = (context: SettlementContext) => Promise<boolean>;

/** The same, at one bank. Each bank has its own run, so that one that hangs delays no other. */
export type BankScan = (context: BankContext) => Promise<boolean>;

/** How many charges at a bank are claimed, and worked on at once. A killed process's are soon claimed by others. */
export const atThePsp = { limit: 10, leaseMs: 15_000 };

/** @returns a scan that works on at most `limit` rows a turn. `work` returns how many there were */
export function inBatches<Context extends SettlementContext>(
  limit: number,
  work: (context: Context, limit: number) => Promise<number>,
): (context: Context) => Promise<boolean> {
  return async (context) => (await work(context, limit)) === limit;
}

/** @returns a scan that looks at charges at a bank. `look` returns how many it claimed */
export function looking(look: (context: BankContext, lease: typeof atThePsp) => Promise<number>): BankScan {
  return async (context) => (await look(context, atThePsp)) === atThePsp.limit && isAnswering(context);
}

type Claim = (
  db: BankContext['db'],
  lease: typeof atThePsp & { bank: string; now: Date },
) => Promise<StoredPayment[]>;

/** @returns a scan that claims payments whose charge at a bank is due, and works on them */
export function onCharges(
  claim: Claim,
  work: (context: BankContext, payment: StoredPayment) => Promise<void>,
): BankScan {
  return looking(async (context, lease) => {
    const { db, bank, now } = context;
    const claimed = await claim(db, { ...lease, bank, now: now() });
    await Promise.all(claimed.map((payment) => work(context, payment)));
    return claimed.length;
  });
}

/** Refunds are paced, so that a backlog leaves room for other work, here and at the PSP. */
export const refundsPerSecond = 100;

/** @returns true if the bank responds, as far as this process knows */
function isAnswering({ pix }: BankContext): boolean {
  return pix.breakers.others.state() === 'closed';
}
