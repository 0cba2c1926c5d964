import type { Window } from '../faults/fault.ts';
import { isFlood } from '../faults/floods.ts';
import { isOfOneStore } from '../faults/one-store.ts';
import type { Visit } from '../observations.ts';
import { storeNameIn } from '../receivers/receivers.ts';
import { pace } from '../system/system.ts';
import type { PaymentEvidence } from '../verdict/evidence.ts';
import { breachOf, type Case, type Check, ofEachPayment } from './promise.ts';

const patienceMs = 10_000;
// Whoever waits for a time-out of another store's receiver waits longer.
const patienceBesideOneStoreMs = Number(pace.WEBHOOK_TIMEOUT_MS);
// How long a fault may have effects: a lease ends, a scan runs.
const recoveryMs = 15_000;

/**
 * Promise 9: healthy receivers get their first attempts soon, whatever the others do. While all receivers of one store
 * hang, another store's first webhooks wait for none of its time-outs. Floods of callers excuse nothing.
 */
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
  const excuses = windows.filter((window) => !isOfOneStore(window) && !isFlood(window));
  return detail.events.flatMap(({ id, sequence, occurredAt }) => {
    const visit = first.get(id);
    if (visit?.temper !== 'good' || visit.status !== 200) return [];
    const from = Date.parse(occurredAt);
    const isBesideOne = windows.some(
      (window) => isOfOneStore(window) && window.from <= from && from <= window.to,
    );
    const isStrict = isBesideOne && sequence === 1;
    const waited = calmMs(from, visit.at, excuses);
    const where = isStrict ? 'while one store’s receivers hung' : 'in calm';
    return waited <= (isStrict ? patienceBesideOneStoreMs : patienceMs)
      ? []
      : [`event ${sequence} came ${(waited / 1_000).toFixed(1)} s late, ${where}`];
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

/** Promise 6: a store receives only its own webhooks. */
export const storesApart: Check = ({ observations }) => {
  const names = new Map(observations.stores.map(({ id, name }) => [id, name]));
  return observations.visits
    .filter(({ url, event }) => storeNameIn(new URL(url).pathname) !== names.get(event.storeId))
    .map(({ url, event }) =>
      breachOf(6, event.id, `a webhook of ${names.get(event.storeId)} came to ${url}`),
    );
};
