import type { Window } from '../faults/fault.ts';
import type { PaymentEvidence } from '../verdict/evidence.ts';
import { type Case, ofEachPayment } from './promise.ts';

/** Promise 12: nobody saw two codes of one payment, and a charge that two banks know is removed at one. */
export const oneBank = ofEachPayment(12, (payment, run) => [
  ...codes(run, payment),
  ...payment.leftovers
    .filter(({ status }) => status === 'ATIVA' && !isDisturbed(run.windows, payment))
    .map(({ bank }) => `${bank} took it unheard, and its charge there was not removed`),
]);

function codes({ observations, evidence }: Case, { id, read, detail }: PaymentEvidence): string[] {
  const told = observations.visits.filter(({ event }) => event.id === id).map(({ event }) => event);
  const listed = [...evidence.lists.values()].flat().filter((one) => one.id === id);
  const seen = [observations.payments.get(id)?.body, read.body, detail, ...told, ...listed];
  const different = new Set(seen.flatMap((body) => body?.qrCopyPaste ?? []));
  return different.size > 1 ? [`${different.size} codes of it were shown`] : [];
}

// From the first possible look at what a bank may have taken until the charge expires.
const looks = { fromMs: 12_000, toMs: 30_000 };
const recoveryMs = 5_000;

const hindering: readonly Window['kind'][] = ['simulator', 'dispatcher', 'postgres'];

/** True if a fault may have kept the charge from being removed before it expired by itself. */
function isDisturbed(windows: readonly Window[], { detail }: PaymentEvidence): boolean {
  const createdAt = Date.parse(detail.createdAt);
  return windows.some(
    ({ kind, from, to }) =>
      hindering.includes(kind) && from < createdAt + looks.toMs && to + recoveryMs > createdAt + looks.fromMs,
  );
}
