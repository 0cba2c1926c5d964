import { listKnownBanks } from '@payments/database/banks/banks';
import { claimExpired } from '@payments/database/charges/charges';
import type { Database } from '@payments/database/connection';
import { findOverdueReviews } from '@payments/database/payments/reviews';
import { listCheckedDays } from '@payments/database/reconciliation/checked-days';
import { addDays, dayOf, startOf } from '@payments/domain/days';
import type { PaymentStatus } from '@payments/domain/status';
import { readCallback } from '@payments/pix/callback';
import { closePending, expirePayment } from '../../src/charges/expire.ts';
import { removeUnheard } from '../../src/charges/remove-unheard.ts';
import { settleSetAside } from '../../src/charges/settle-set-aside.ts';
import { atBankOf, type BankContext, type SettlementContext } from '../../src/context.ts';
import { checkDay, daysToCheck, firstDayToCheck, settleAndCheckDay } from '../../src/days/check-day.ts';
import { reconcile, reconcileReturned } from '../../src/days/reconcile.ts';
import { decide, timeOutReview } from '../../src/decide.ts';
import { toldOf } from '../../src/pix/on-record.ts';
import { settleTold } from '../../src/pix/settle-told.ts';
import { orderRefundOfUnmatched } from '../../src/pix/unmatched.ts';
import { carryOutRefunds } from '../../src/refunds/carry-out.ts';
import { orderRefund } from '../../src/refunds/order-refund.ts';
import { orderRefusedAgain, orderRetry } from '../../src/refunds/refused-refund.ts';
import { followCharges } from '../charges/follow-charges.ts';
import type { Entry } from './bank.ts';
import { type Creation, create } from './store.ts';

/**
 * Compares the days that are due, as the dispatcher does.
 * @returns how many
 */
export async function checkDays(context: BankContext): Promise<number> {
  const { db, bank, now } = context;
  const { knownSince } = (await listKnownBanks(db)).find(({ id }) => id === bank)!;
  const checks = await listCheckedDays(db, { from: firstDayToCheck(now()), to: dayOf(now()), bank });
  const due = daysToCheck(now(), knownSince, checks);
  for (const day of due) await settleAndCheckDay(context, day);
  return due.length;
}

/** Compares today, as a person does in the panel. */
export async function lookAtToday(context: BankContext): Promise<void> {
  await checkDay(context, dayOf(context.now()));
}

/** @returns in words, the days whose last check after a scan was made before they ended */
export async function checkedTooEarly(db: Database, bank: string, now: Date): Promise<string[]> {
  const days = await listCheckedDays(db, { from: firstDayToCheck(now), to: addDays(dayOf(now), -2), bank });
  return days
    .filter(({ date, checkedAt }) => checkedAt.getTime() < startOf(addDays(date, 1)).getTime())
    .map(({ date, checkedAt }) => `${date} at ${bank} was last compared at ${checkedAt.toISOString()}`);
}

/** The scans of the dispatcher. */
export const scans = [
  'reconcile',
  'returned',
  'setAside',
  'expire',
  'timeOut',
  'orderAgain',
  'carryOut',
  'follow',
  'unheard',
  'expireUnregistered',
] as const;

/** `checkDays` runs in histories of days alone. */
export type Scan = (typeof scans)[number] | 'checkDays';

/** One call of settlement, which can be sent to another process. */
export type Operation =
  | ({ do: 'create' } & Creation)
  | { do: 'scan'; scan: Scan; bank: string; ahead?: number }
  /** A person compares today with the bank. */
  | { do: 'look'; bank: string }
  /** A person orders an unmatched Pix back. */
  | { do: 'refundUnmatched'; endToEndId: string }
  | { do: 'tell'; bank: string; txid: string; body: { pix: Entry[] } }
  | { do: 'decide'; paymentId: string; to: PaymentStatus }
  | { do: 'refund'; paymentId: string; amount?: number | undefined; key?: string | undefined }
  | { do: 'anew'; paymentId: string; refundId: string };

/** Its end: done, refused by the service's rules, or postponed because the bank could not be asked. */
export type Outcome = { end: 'done' | 'refused' | 'unavailable' | 'killed'; says: string };

export const reviewTimeoutMs = 30 * 60_000;

const by = { name: null, via: 'api', reason: null, requestId: null } as const;
const limit = 20;
const leaseMs = 15_000;

/** @throws errors that no caller of settlement expects */
export async function operate(context: SettlementContext, operation: Operation): Promise<Outcome> {
  try {
    const result = await run(context, operation);
    return { end: 'done', says: String(result ?? '') };
  } catch (error) {
    const { name, message } = error as Error;
    if (/^(TransitionRefused|RefundRefused|RefundKeyReused)$/.test(name))
      return { end: 'refused', says: message };
    if (/^Pix(Unavailable|Refused)$/.test(name)) return { end: 'unavailable', says: message };
    throw error;
  }
}

async function run(context: SettlementContext, operation: Operation): Promise<unknown> {
  switch (operation.do) {
    case 'create':
      return create(context, operation);
    case 'scan': {
      const its = withClock(context, operation.ahead ?? 0);
      const ofAll = scansOfAll[operation.scan];
      return ofAll ? ofAll(its) : scan[operation.scan]!(atBankOf(its, operation.bank));
    }
    case 'look':
      return lookAtToday(atBankOf(context, operation.bank));
    case 'refundUnmatched':
      await orderRefundOfUnmatched(context, { ...operation, by });
      return;
    case 'tell':
      return settleTold(atBankOf(context, operation.bank), toldOf(readCallback(operation.body)));
    case 'decide':
      await decide(context, { ...operation, by });
      return;
    case 'refund':
      await orderRefund(context, { ...operation, amount: operation.amount, by, key: keyOf(operation) });
      return;
    case 'anew':
      await orderRetry(context, { ...operation, by });
  }
}

/** A process whose clock is ahead by so many seconds. */
function withClock(context: SettlementContext, ahead: number): SettlementContext {
  return { ...context, now: () => new Date(context.now().getTime() + ahead * 1_000) };
}

function keyOf({ key, amount }: Operation & { do: 'refund' }) {
  return key === undefined ? undefined : { key, requestHash: Buffer.from(`amount ${amount}`) };
}

/** Each bank has its own run of these. */
const scan: Partial<Record<Scan, (context: BankContext) => Promise<unknown>>> = {
  reconcile,
  returned: reconcileReturned,
  setAside: (context) => settleSetAside(context, { limit, leaseMs }),
  carryOut: (context) => carryOutRefunds(context, { limit }),
  expire: async (context) => {
    const expired = await claimExpired(context.db, {
      bank: context.bank,
      limit,
      leaseMs,
      now: context.now(),
    });
    for (const payment of expired) await expirePayment(context, payment);
    return expired.length;
  },
  follow: followCharges,
  unheard: (context) => removeUnheard(context, { limit, leaseMs }),
  checkDays,
};

export const isOfAll = (scan: Scan): boolean => scan in scansOfAll;

const scansOfAll: Partial<Record<Scan, (context: SettlementContext) => Promise<unknown>>> = {
  orderAgain: (context) => orderRefusedAgain(context, limit),
  expireUnregistered: async (context) => {
    const expired = await claimExpired(context.db, { bank: null, limit, leaseMs, now: context.now() });
    for (const payment of expired) await closePending(context, payment);
    return expired.length;
  },
  timeOut: async (context) => {
    const since = new Date(context.now().getTime() - reviewTimeoutMs);
    const overdue = await findOverdueReviews(context.db, { since, after: undefined, limit });
    for (const { id } of overdue) await timeOutReview(context, id, since);
    return overdue.length;
  },
};
