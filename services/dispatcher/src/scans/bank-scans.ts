import { listKnownBanks, readPausedBanks } from '@payments/database/banks/banks';
import {
  claimCancelled,
  claimExpired,
  claimUnregistered,
  hastenCancellations,
  hastenRegistrations,
} from '@payments/database/charges/charges';
import { takeTurn } from '@payments/database/cursors';
import type { StoredPayment } from '@payments/database/payments/payments';
import { listCheckedDays } from '@payments/database/reconciliation/checked-days';
import { dayOf } from '@payments/domain/days';
import { closePending, expirePayment } from '@payments/settlement/charges/expire';
import { registerLate, withdrawCharge } from '@payments/settlement/charges/follow-charge';
import type { SettlementContext } from '@payments/settlement/context';
import { daysToCheck, firstDayToCheck, settleAndCheckDay } from '@payments/settlement/days/check-day';
import { afterFailureMs, reconcile, reconcileReturned } from '@payments/settlement/days/reconcile';
import { type BankScan, chargeClaims, claimedChargeScan, inBatches, type Scan } from './scan.ts';

/**
 * Registers charges that no bank has registered yet at this bank, if their stores allow it. While the bank fails, a
 * single charge probes it, so that the others' pauses don't grow. When it is back, all charges are due at once.
 */
export function registerCharges(): BankScan {
  let wasAway = false;
  return async (context) => {
    const { db, bank, pix, now } = context;
    if ((await readPausedBanks(db)).includes(bank)) return false;
    // A bank that is away fails before a charge is set: it is read first.
    const isBack = () =>
      [pix.breakers.others, pix.breakers.creations].every((one) => one.state() === 'closed');
    wasAway ||= !isBack();
    const limit = wasAway ? 1 : chargeClaims.limit;
    const charges = await claimUnregistered(db, { ...chargeClaims, limit, bank, now: now() });
    await Promise.all(charges.map((payment) => registerLate(context, payment)));
    if (!isBack()) return false;
    if (!wasAway) return charges.length === limit;
    wasAway = false;
    await hastenRegistrations(db, bank, now());
    return true;
  };
}

/** Withdraws charges of cancelled payments. When the bank is back, all are due at once: their codes can still be paid. */
export function withdrawCharges(): BankScan {
  const scan = claimedChargeScan(claimCancelled, withdrawCharge);
  let wasAway = false;
  return async (context) => {
    const { db, bank, pix, now } = context;
    const isAway = pix.breakers.others.state() !== 'closed';
    if (wasAway && !isAway) await hastenCancellations(db, bank, now());
    wasAway = isAway;
    return scan(context);
  };
}

/** Closes payments whose charge at a bank expired unpaid (Contract: transitions). */
export const expireCharges = claimedChargeScan(claimExpired, orLog(expirePayment));

/** Closes payments whose charge no bank registered in time. */
export const expireUnregistered: Scan = inBatches(chargeClaims.limit, async (context) => {
  const expired = await claimExpired(context.db, { ...chargeClaims, bank: null, now: context.now() });
  await Promise.all(expired.map((payment) => orLog(closePending)(context, payment)));
  return expired.length;
});

function orLog<Context extends SettlementContext>(
  close: (context: Context, payment: StoredPayment) => Promise<void>,
) {
  return (context: Context, payment: StoredPayment) =>
    close(context, payment).catch((error: unknown) =>
      context.log.warn({ err: error, paymentId: payment.id }, 'an expired charge was not checked'),
    );
}

/** Finds Pix whose callback got lost. */
export const findMissedPix =
  (onFound: (bank: string, count: number) => void): BankScan =>
  async (context) => {
    const found = await reconcile(context);
    onFound(context.bank, found);
    if (found > 0)
      context.log.warn({ found, bank: context.bank }, 'Pix were found that no callback had told of');
    return false;
  };

/** Finds Pix that the bank took back (MED) without a callback. It runs apart from the other scans. */
export const findReturnedPix: BankScan = async (context) => {
  await reconcileReturned(context);
  return false;
};

/**
 * Settles and compares the last days at a bank with our books (conciliação), one day a turn. A day that can't be compared
 * does not stop the later ones, and is tried again after ten minutes.
 * @throws the first failure, after the other days were tried
 */
export const checkDays: BankScan = async (context) => {
  const { db, bank, log, now } = context;
  const known = (await listKnownBanks(db)).find(({ id }) => id === bank);
  if (!known) return false;
  const range = { from: firstDayToCheck(now()), to: dayOf(now()), bank };
  const days = daysToCheck(now(), known.knownSince, await listCheckedDays(db, range));
  const failures: unknown[] = [];
  for (const day of days) {
    if (!(await isItsTurn(day))) continue;
    await compare(day).catch((error: unknown) => failures.push(error));
    if (failures.length === 0) return days.length > 1;
  }
  if (failures.length > 0) throw failures[0];
  return false;

  // Named by the day of the month: fewer days than a month has are compared, so the same 31 rows serve all months.
  function isItsTurn(day: string): Promise<boolean> {
    const since = new Date(now().getTime() - afterFailureMs);
    return takeTurn(db, { bank, name: `turn-compare-${day.slice(-2)}` }, { now: now(), since });
  }

  async function compare(day: string) {
    const { differences } = await settleAndCheckDay(context, day);
    if (differences.length > 0)
      log.error({ bank, day, differences: differences.length }, 'the bank and our books differ');
  }
};
