import { takeTurn } from '@payments/database/cursors';
import type { StoredPayment } from '@payments/database/payments/payments';
import type { OpenBanks } from '@payments/pix/banks';
import type { Loop } from '@payments/runtime/loop';
import type { BankContext, SettlementContext } from '@payments/settlement/context';

/**
 * A timed task on rows that fall due with time.
 * @returns whether there may be more at once
 */
export type Scan = (context: SettlementContext) => Promise<boolean>;

/** The same, at one bank. Each bank has its own run, so that one that hangs delays no other. */
export type BankScan = (context: BankContext) => Promise<boolean>;

/** How many charges at a bank are claimed, and worked on at once. A killed process's are soon claimed by others. */
export const chargeClaims = { limit: 10, leaseMs: 15_000 };

/** @returns a scan that works on at most `limit` rows a turn. `work` returns how many there were */
export function inBatches<Context extends SettlementContext>(
  limit: number,
  work: (context: Context, limit: number) => Promise<number>,
): (context: Context) => Promise<boolean> {
  return async (context) => (await work(context, limit)) === limit;
}

/** @returns a scan that looks at charges at a bank. `look` returns how many it claimed */
export function chargeScan(
  look: (context: BankContext, lease: typeof chargeClaims) => Promise<number>,
): BankScan {
  return async (context) =>
    (await look(context, chargeClaims)) === chargeClaims.limit && isAnswering(context);
}

type Claim = (
  db: BankContext['db'],
  lease: typeof chargeClaims & { bank: string; now: Date },
) => Promise<StoredPayment[]>;

/** @returns a scan that claims payments whose charge at a bank is due, and works on them */
export function claimedChargeScan(
  claim: Claim,
  work: (context: BankContext, payment: StoredPayment) => Promise<void>,
): BankScan {
  return chargeScan(async (context, lease) => {
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

// A timer may end a little before its interval is over. The replica that had the last turn then gets the next one all the
// same: otherwise it would be refused, and wait for another whole interval.
const shareOfInterval = 0.9;

/** Runs a scan on one of all replicas in each interval: the bank counts our calls, and lists are many of them. */
export function byOneReplica(name: string, intervalMs: number, scan: BankScan): BankScan {
  let goesOn = false;
  return async (context) => {
    const { db, bank, now } = context;
    const at = now();
    const since = new Date(at.getTime() - intervalMs * shareOfInterval);
    if (!goesOn && !(await takeTurn(db, { bank, name: `turn-${name}` }, { now: at, since }))) return false;
    goesOn = false;
    goesOn = await scan(context);
    return goesOn;
  };
}

/** Runs scans for each configured bank, and follows when banks come and go. */
export function startPerBank(banks: OpenBanks, start: (bank: string) => readonly Loop[]): Pick<Loop, 'stop'> {
  const running = new Map<string, readonly Loop[]>();
  const ending: Promise<void>[] = [];
  let stopped = false;
  const end = (bank: string, scans: readonly Loop[]) => {
    running.delete(bank);
    ending.push(...scans.map((scan) => scan.stop()));
  };
  const follow = () => {
    if (stopped) return;
    for (const [bank, scans] of running) if (!banks.find(bank)) end(bank, scans);
    for (const { id } of banks.all()) if (!running.has(id)) running.set(id, start(id));
  };
  follow();
  banks.onReplaced(follow);
  return {
    stop: async () => {
      stopped = true;
      for (const [bank, scans] of running) end(bank, scans);
      await Promise.all(ending);
    },
  };
}
