import type { Bank } from '../bank.ts';
import type { StoredCharge } from '../ledger.ts';
import type { Look } from '../looks.ts';
import { settleDue } from '../refunds.ts';
import { showCharge, showPix } from '../shapes.ts';

/** A charge as a read of the bank sees it, faults included; with its Pix when there are any (`CobCompleta`). */
export function showChargeNow(bank: Bank, look: Look, charge: StoredCharge) {
  settleDue(bank);
  const seen = look.charge(charge);
  const pix = bank.ledger.pixOf(charge.txid).flatMap((one) => look.pix(one) ?? []);
  return bank.rules.showCharge(showChargePlainly(bank, seen, pix.map(look.show)), look.operation);
}

/** The same in the standard's words. */
export function showChargePlainly(
  bank: Bank,
  charge: StoredCharge,
  pix: readonly object[] = bank.ledger.pixOf(charge.txid).map(showPix),
) {
  const withCode = !bank.faults.omitPixCopiaECola;
  return {
    ...showCharge(charge, { merchantName: bank.merchantName, withCode }),
    ...(pix.length > 0 && { pix }),
  };
}
