import { claimCancelled } from '@payments/database/charges/charges';
import { withdrawCharge } from '@payments/settlement/follow-charge';
import { removeUnheard } from '@payments/settlement/remove-unheard';
import pLimit from 'p-limit';
import { atThePsp, type BankScan, isAnswering } from './scan.ts';

/** Withdraws cancelled charges from a bank. */
export const withdrawCharges: BankScan = async (context) => {
  const { db, bank, now } = context;
  const { claimed: limit, atOnce, leaseMs } = atThePsp;
  const charges = await claimCancelled(db, { bank, limit, leaseMs, now: now() });
  await pLimit(atOnce).map(charges, (payment) => withdrawCharge(context, payment));
  return charges.length === limit && isAnswering(context);
};

/** Removes charges that a bank may have registered without a response. */
export const removeUnheardCharges: BankScan = async (context) => {
  const { atOnce: limit, leaseMs } = atThePsp;
  const looked = await removeUnheard(context, { limit, leaseMs });
  return looked === limit && isAnswering(context);
};
