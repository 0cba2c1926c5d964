import type { PaymentEvidence } from '../verdict/evidence.ts';
import { countedPix } from './bank-facts.ts';

// The end of a charge is told to whole seconds.
const roundingMs = 1_000;

/** By the bank's own dates: what was paid in time is not held as late, and what came late is not approved unseen. */
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
