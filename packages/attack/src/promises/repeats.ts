import { failovers } from '../faults/cluster.ts';
import type { Window } from '../faults/fault.ts';
import type { Breach, Visit } from '../observations.ts';
import { allEventsOf, type DeliveryShown, type PaymentDetail } from '../verdict/evidence.ts';
import { breachOf, type Case, type Check, ofEachPayment } from './promise.ts';

const graceMs = 1_000;
const crashes = ['postgres-killed', 'postgres-immediate', ...failovers];

/** Promise 3: a repeat is the same under the same id; only a fault repeats a success; first attempts are in order. */
export const repeats: Check = (run) => {
  const { observations, windows } = run;
  const visits = Map.groupBy(observations.visits, ({ deliveryId }) => deliveryId);
  const ofPayments = ofEachPayment(3, ({ detail }) => [
    ...detail.deliveries.flatMap((delivery) => {
      const deliveredAfter = observations.seenDelivered.get(delivery.id);
      return ofDelivery(delivery, visits.get(delivery.id) ?? [], windows, deliveredAfter);
    }),
    ...outOfOrder(detail, visits),
  ]);
  return [...ofPayments(run), ...strangers(run)];
};

function ofDelivery(
  { id, attempts }: DeliveryShown,
  visits: readonly Visit[],
  windows: readonly Window[],
  deliveredAfter: number | undefined,
): string[] {
  const wrong: string[] = [];
  if (new Set(visits.map(({ body }) => body)).size > 1) wrong.push('was sent with two bodies');
  if (visits.some(({ signatureValid }) => !signatureValid))
    wrong.push('was sent with a signature that is not the store’s');
  if (visits.length - (isUndone(visits, windows) ? 1 : 0) > attempts.length)
    wrong.push(`arrived ${visits.length} times; the ledger shows ${attempts.length}`);
  if (deliveredAfter !== undefined && attempts.length > deliveredAfter)
    wrong.push(`was delivered after ${deliveredAfter} attempts, and attempted again`);
  const taken = visits.filter(({ status }) => status !== null && status < 300);
  for (const [index, again] of taken.entries()) {
    const first = taken[index - 1];
    if (
      first &&
      !windows.some((window) => window.from < again.at && window.to + graceMs > first.at - graceMs)
    )
      wrong.push('was taken by the receiver, and repeated though nothing had happened');
  }
  return wrong.map((says) => `delivery ${id} ${says}`);
}

/** A first attempt is claimed without a wait for the disk. If PostgreSQL and its process crash, no record is left. */
function isUndone([first]: readonly Visit[], windows: readonly Window[]): boolean {
  return windows.some(
    ({ fault, from, to }) =>
      crashes.includes(fault) && first !== undefined && first.at > from - graceMs && first.at < to,
  );
}

/** A first attempt that is recorded, but did not arrive, still precedes the next event's. */
function outOfOrder(detail: PaymentDetail, visits: ReadonlyMap<string, Visit[]>): string[] {
  const inOrder = allEventsOf(detail).flatMap(
    ({ id }) => detail.deliveries.find((delivery) => delivery.id === id) ?? [],
  );
  return inOrder.flatMap((delivery, index) => {
    const before = inOrder[index - 1];
    const arrived = visits.get(delivery.id)?.[0]?.at;
    if (!before || arrived === undefined) return [];
    const attempted = before.attempts.some(({ startedAt }) => Date.parse(startedAt) <= arrived);
    return attempted ? [] : [`the first attempt of event ${index + 1} went before that of event ${index}`];
  });
}

/** Webhooks of unknown events. */
function strangers({ observations, evidence }: Case): Breach[] {
  const known = new Set(evidence.payments.flatMap(({ detail }) => allEventsOf(detail).map(({ id }) => id)));
  return observations.visits
    .filter(({ deliveryId }) => !known.has(deliveryId))
    .map(({ deliveryId, event }) =>
      breachOf(3, event.id, `a webhook ${deliveryId} came that tells of no event`),
    );
}
