import type { PaymentEvidence } from '../verdict/evidence.ts';
import { countedPix } from './bank-facts.ts';

// A charge's end is given in whole seconds.
const roundingMs = 1_000;

/** By the bank's dates, a Pix in time is not held as late, and a late one is not approved without a review. */
export function inTime(payment: PaymentEvidence): string[] {
  const pix = countedPix(payment);
  const { bank, detail } = payment;
  const move = detail.events.find(({ actor }) => actor === 'psp');
  if (!pix || !bank || !move) return [];
  const lateMs = Date.parse(pix.horario) - Date.parse(bank.expiraEm);
  const what = `Pix ${pix.endToEndId} was paid ${Math.abs(lateMs)} ms`;
  if (move.reason === 'late' && lateMs < -roundingMs) return [`${what} in time, and is held as late`];
  if (move.status === 'approved' && lateMs > roundingMs) return [`${what} late, and approved it`];
  return [];
}
