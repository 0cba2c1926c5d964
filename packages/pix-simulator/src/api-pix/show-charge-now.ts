import type { Bank } from '../bank.ts';
import type { StoredCharge } from '../ledger.ts';
import { settleDue } from '../refunds.ts';
import { showCharge, showPix } from '../shapes.ts';

/** A charge as the bank shows it today, faults included; with its Pix when there are any (`CobCompleta`). */
export function showChargeNow(bank: Bank, charge: StoredCharge) {
  return bank.rules.showCharge(showChargePlainly(bank, charge));
}

/** The same in the standard's words. */
export function showChargePlainly(bank: Bank, charge: StoredCharge) {
  settleDue(bank);
  const pix = bank.ledger.pixOf(charge.txid).map(showPix);
  const withCode = !bank.faults.omitPixCopiaECola;
  return {
    ...showCharge(charge, { merchantName: bank.merchantName, withCode }),
    ...(pix.length > 0 && { pix }),
  };
}
