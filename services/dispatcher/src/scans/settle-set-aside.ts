import { settleSetAside } from '@payments/settlement/settle-set-aside';
import { atThePsp, type BankScan, isAnswering } from './scan.ts';

/** Settles charges again that were set aside. */
export const settleChargesSetAside: BankScan = async (context) => {
  const { atOnce: limit, leaseMs } = atThePsp;
  const tried = await settleSetAside(context, { limit, leaseMs });
  return tried === limit && isAnswering(context);
};
