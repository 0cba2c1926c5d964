import type { Window } from '../faults/fault.ts';
import type { Visit } from '../observations.ts';
import type { PaymentEvidence } from '../verdict/evidence.ts';
import { breachOf, type Case, type Check, ofEachPayment } from './promise.ts';

const patienceMs = 10_000;
// How long a fault may have effects: a lease ends, a scan runs.
const recoveryMs = 15_000;

/** Promise 9: healthy receivers get their first attempts soon, whatever the others do. */
export const isolation: Check = (run) => {
  const { observations, windows } = run;
  const first = new Map<string, Visit>();
  for (const visit of observations.visits)
    if (!first.has(visit.deliveryId)) first.set(visit.deliveryId, visit);
  return ofEachPayment(9, (payment) => late(payment, first, windows))(run);
};

function late(
  { detail }: PaymentEvidence,
  first: ReadonlyMap<string, Visit>,
  windows: readonly Window[],
): string[] {
  return detail.events.flatMap(({ id, sequence, occurredAt }) => {
    const visit = first.get(id);
    if (visit?.temper !== 'good' || visit.status !== 200) return [];
    const waited = calmMs(Date.parse(occurredAt), visit.at, windows);
    return waited <= patienceMs
      ? []
      : [`event ${sequence} came ${Math.round(waited / 1_000)} s late, in calm`];
  });
}

/** @returns how much of a time was free of faults and their effects */
export function calmMs(from: number, to: number, windows: readonly Window[]): number {
  const troubled = windows
    .map((window): [number, number] => [Math.max(from, window.from), Math.min(to, window.to + recoveryMs)])
    .filter(([begin, end]) => end > begin)
    .sort(([a], [b]) => a - b);
  let [calm, reached] = [0, from];
  for (const [begin, end] of troubled) {
    calm += Math.max(0, begin - reached);
    reached = Math.max(reached, end);
  }
  return calm + Math.max(0, to - reached);
}

/** Promise 10: no internal address was ever contacted. */
export const nothingInward: Check = ({ observations }: Case) =>
  observations.trapped === 0
    ? []
    : [breachOf(10, undefined, `${observations.trapped} connections to an address inside`)];
