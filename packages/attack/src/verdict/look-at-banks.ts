import type { World } from '../load/world.ts';
import { bankIds, bankOfCode } from '../system/banks.ts';
import type { BankCharge, PaymentDetail, PaymentEvidence } from './evidence.ts';

/**
 * Asks every bank for a payment's charge. The payment's bank is the one of its code; without a code it is the one that
 * was paid.
 */
export async function lookAtBanks(
  world: World,
  id: string,
  detail: Pick<PaymentDetail, 'qrCopyPaste'> | undefined,
): Promise<Pick<PaymentEvidence, 'bank' | 'leftovers' | 'knownAt'>> {
  const path = `/bank/charges/${id.replaceAll('-', '')}`;
  const answers = await Promise.all(
    bankIds.map(async (bank) => ({ bank, ...(await world.bank<BankCharge>(bank, 'bank', path)) })),
  );
  const known = answers.flatMap(({ bank, status, body }) => (status === 200 ? { bank, charge: body } : []));
  const shown = bankOfCode(detail?.qrCopyPaste ?? '');
  const own =
    known.find(({ bank }) => bank === shown) ?? known.find(({ charge }) => charge.pix.length > 0) ?? known[0];
  const others = known.filter((one) => one !== own);
  const elsewhere = others.flatMap(({ charge }) => charge.pix.map((pix) => ({ ...pix, isElsewhere: true })));
  return {
    bank: own && { ...own.charge, pix: [...own.charge.pix, ...elsewhere] },
    knownAt: known.map(({ bank }) => bank),
    leftovers: others.map(({ bank, charge: { status } }) => ({ bank, status })),
  };
}
