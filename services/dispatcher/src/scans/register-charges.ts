import { readPausedBanks } from '@payments/database/banks/banks';
import { claimUnregistered, hastenRegistrations } from '@payments/database/charges/charges';
import { registerLate } from '@payments/settlement/charges/follow-charge';
import { atThePsp, type BankScan } from './scan.ts';

/**
 * Registers charges that no bank has registered yet at this bank, if their stores allow it. While the bank fails, a
 * single charge probes it, so that the others' pauses don't grow. When it is back, all charges are due at once.
 */
export function registerCharges(): BankScan {
  let wasAway = false;
  return async (context) => {
    const { db, bank, pix, now } = context;
    if ((await readPausedBanks(db)).includes(bank)) return false;
    const isBack = () => pix.breakers.creations.state() === 'closed';
    wasAway ||= !isBack();
    const limit = wasAway ? 1 : atThePsp.limit;
    const charges = await claimUnregistered(db, { ...atThePsp, limit, bank, now: now() });
    await Promise.all(charges.map((payment) => registerLate(context, payment)));
    if (!isBack()) return false;
    if (!wasAway) return charges.length === limit;
    wasAway = false;
    await hastenRegistrations(db, bank, now());
    return true;
  };
}
