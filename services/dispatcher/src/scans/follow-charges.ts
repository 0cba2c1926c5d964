import { claimDueCharges, hastenCharges } from '@payments/database/charges/charges';
import type { SettlementContext } from '@payments/settlement/context';
import { followCharge } from '@payments/settlement/follow-charge';
import pLimit from 'p-limit';
import { atThePsp, type Scan } from './scan.ts';

/** PSPs that were down at the last look. */
const away = new WeakSet<SettlementContext['pix']>();

/**
 * Registers unregistered charges, and withdraws cancelled ones. While the PSP is down, a single charge probes it, so
 * that the others' pauses don't grow. When it is back, all charges are due at once.
 */
export const followCharges: Scan = async (context) => {
  const { db, pix, now } = context;
  const isBack = () => pix.breakerState() === 'closed';
  if (!isBack()) away.add(pix);
  const limit = away.has(pix) ? 1 : atThePsp.claimed;
  const charges = await claimDueCharges(db, { limit, leaseMs: atThePsp.leaseMs, now: now() });
  await pLimit(atThePsp.atOnce).map(charges, (payment) => followCharge(context, payment));
  if (!isBack()) return false;
  if (!away.delete(pix)) return charges.length === limit;
  await hastenCharges(db, now());
  return true;
};
