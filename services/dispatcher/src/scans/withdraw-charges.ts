import { claimCancelled } from '@payments/database/charges/charges';
import { withdrawCharge } from '@payments/settlement/follow-charge';
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
