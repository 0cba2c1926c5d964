import type { Charge } from './facts.ts';
import type { Subject } from './history.ts';
import type { Said } from './service.ts';

/** @returns in words, where a payment is not at one bank, or a second code was shown */
export function placeDiffers(
  { banks, said: before }: Pick<Subject, 'banks' | 'said'>,
  said: Said,
  charges: readonly Charge[],
): string[] {
  const { bank, code } = said;
  const found: string[] = [];
  if (before.bank !== null && bank !== before.bank) found.push(`it was at ${before.bank}, and is at ${bank}`);
  if (before.code !== null && code !== before.code) found.push('a second code was shown');
  if (bank !== null && banks && !banks.includes(bank)) found.push(`${bank} is no bank of its store`);
  if (code !== null && !charges.some((charge) => charge.bank === bank && charge.code === code))
    found.push(`its code is not that of ${bank}`);
  if (bank === null && said.pix.length > 0) found.push('it has a Pix, and no bank');
  return found;
}

/** @returns in words, the charges that can be paid at a bank that is not the payment's */
export function leftovers({ name, said, charges }: Subject, now: number): string[] {
  return charges
    .filter(({ bank, status, expiresAt }) => bank !== said.bank && status === 'ATIVA' && expiresAt > now)
    .map(({ bank }) => `${name}: its charge at ${bank} can be paid, and nobody saw it`);
}
