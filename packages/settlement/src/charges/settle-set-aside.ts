import {
  claimChargesSetAside,
  endProblemsOfOthers,
  endSettledCharge,
} from '@payments/database/charges/problems';
import { listUnmatchedOf } from '@payments/database/charges/unmatched-pix';
import { findPayment } from '@payments/database/payments/payments';
import { paymentIdOf } from '@payments/domain/identifiers';
import { isNotAsked } from '../answers.ts';
import type { BankContext } from '../context.ts';
import { inDoubt, type Told } from '../pix/on-record.ts';
import { settleOne } from '../pix/settle-told.ts';
import { learnFromPix } from '../refunds/follow-bank-refund.ts';
import { isBelievedGone, orSetAside, Unsettleable } from './set-aside.ts';

/**
 * Settles charges again that were set aside and whose pause is over.
 * @returns how many were tried
 */
export async function settleSetAside(
  context: BankContext,
  { limit, leaseMs }: { limit: number; leaseMs: number },
): Promise<number> {
  const { db, bank, now } = context;
  await endProblemsOfOthers(db);
  const due = await claimChargesSetAside(db, { bank, limit, leaseMs, now: now() });
  await Promise.all(due.map((told) => tryAgain(context, told)));
  return due.length;
}

async function tryAgain(context: BankContext, told: Required<Told>): Promise<void> {
  const { db, bank, log } = context;
  const { looks, txid, returns } = told;
  const settle = async () => {
    const found = await settleAgain(context, told).catch((error: unknown) => {
      if (isBelievedGone(told, error)) return undefined;
      throw error;
    });
    if (found === undefined) log.warn({ txid, returns }, 'a return that the bank told of is believed gone');
    // The charge stays set aside for what the bank told meanwhile.
    const isEnded = await endSettledCharge(db, { ...told, bank }, found === undefined ? looks : undefined);
    if (isEnded) log.info({ txid }, 'a charge that was set aside is settled');
    return found ?? 0;
  };
  await orSetAside(context, told, true, settle).catch((error: unknown) => {
    // It costs the charge no try.
    if (!isNotAsked(error)) throw error;
  });
}

/** @throws Unsettleable while anything that was told is not on record, or a Pix fits no payment */
async function settleAgain(context: BankContext, told: Told): Promise<number> {
  const { db, bank } = context;
  const { txid } = told;
  const paymentId = paymentIdOf(txid);
  const failures: unknown[] = [];
  // The refunds of an unmatched Pix, the bank's (MED) and ours, are recorded, too. One that can't be read holds up no other.
  for (const kept of await listUnmatchedOf(db, bank, txid))
    await learnFromPix(context, kept).catch((error: unknown) => failures.push(error));
  const open = await inDoubt(context, told);
  const areToldOf = told.endToEndIds.length > 0 || (told.pixTold ?? 0) > 0;
  const isGone = !open && areToldOf && (await listUnmatchedOf(db, bank, txid)).length === 0;
  const payment = paymentId ? await findPayment(db, paymentId) : undefined;
  // A callback of another bank may have come to this one's address.
  if (isGone && payment?.bank !== bank) return 0;
  const found = await settleOne(context, open ?? { txid, endToEndIds: [] });
  const left = await listUnmatchedOf(db, bank, txid);
  if (left.length > 0) throw failures[0] ?? new Unsettleable('no_payment', { code: 'no_payment' });
  return found;
}
