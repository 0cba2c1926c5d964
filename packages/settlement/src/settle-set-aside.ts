import { findPix } from '@payments/database/charges/pix-received';
import {
  claimChargesSetAside,
  endChargeProblem,
  endProblemsOfOthers,
} from '@payments/database/charges/problems';
import { listUnmatchedOf } from '@payments/database/charges/unmatched-pix';
import type { BankContext } from './context.ts';
import { isNotAsked } from './failures.ts';
import { learnFromCharge } from './follow-bank-refund.ts';
import { areKeptWithRefunds } from './on-record.ts';
import { placeCharge } from './place-charge.ts';
import { orSetAside, type Told, Unsettleable } from './set-aside.ts';
import { settleOne } from './settle-told.ts';

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

async function tryAgain(context: BankContext, told: Told): Promise<void> {
  const settle = async () => {
    const found = await settleAgain(context, told);
    await endChargeProblem(context.db, { bank: context.bank, txid: told.txid, work: 'settle' });
    context.log.info({ txid: told.txid }, 'a charge that was set aside is settled');
    return found;
  };
  await orSetAside(context, told, true, settle).catch((error: unknown) => {
    // It costs the charge no try.
    if (!isNotAsked(error)) throw error;
  });
}

/** @throws Unsettleable while a reported Pix fits no payment */
async function settleAgain(context: BankContext, { txid, endToEndIds }: Told): Promise<number> {
  const { db, bank } = context;
  // The refunds of an unmatched Pix, the bank's (MED) and ours, are recorded, too.
  for (const kept of await listUnmatchedOf(db, bank, txid))
    await learnFromCharge(context, { paymentId: null, endToEndId: kept });
  const known = await findPix(db, endToEndIds);
  const returned = known.filter(({ unmatched }) => unmatched === 'returned').map((pix) => pix.endToEndId);
  const open = endToEndIds.filter((id) => !returned.includes(id));
  if (open.length === 0 && returned.length > 0) return 0;
  // A Pix of which something went back while it was kept is left to people: a payment could not count it.
  if (context.recoversPayments && !(await areKeptWithRefunds(db, open))) await placeCharge(context, txid);
  const found = await settleOne(context, { txid, endToEndIds: open });
  const left = await listUnmatchedOf(db, bank, txid);
  if (left.length > 0) throw new Unsettleable('no_payment', 'no payment is known of the charge');
  return found;
}
