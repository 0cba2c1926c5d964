import type { Breach, Visit } from '../account.ts';
import type { DeliveryShown, EventShown, PaymentEvidence } from '../end/evidence.ts';
import type { Window } from '../faults/fault.ts';
import { breachOf, type Check } from './promise.ts';

const attemptsOfSchedule = 6;
// The scan for what JetStream lost looks at events of 15 s. What a killed dispatcher had taken JetStream brings again
// after ten: whatever is entered as late as this was found by the scan alone.
const foundByScanMs = 14_500;
// Streams are made anew, and consumers come back.
const natsRecoversMs = 10_000;
const takesEvents = ['dispatcher-killed', 'dispatcher-restarted', 'dispatcher-frozen'];

/** Promise 2, second half: every event of a payment with a webhookUrl was delivered, or is visibly dead. */
export const deliveries: Check = ({ account, evidence, windows }) => {
  const visits = Map.groupBy(account.visits, ({ deliveryId }) => deliveryId);
  return evidence.payments.flatMap((payment): Breach[] => {
    const { webhookUrl, events } = payment.detail;
    const found = webhookUrl
      ? events.flatMap((event) => ofEvent(payment, event, visits.get(event.id) ?? [], windows))
      : payment.detail.deliveries.map(() => 'it has no webhookUrl, and a delivery');
    return found.map((says) => breachOf(2, payment.id, says));
  });
};

function ofEvent(
  payment: PaymentEvidence,
  event: EventShown,
  visits: readonly Visit[],
  windows: readonly Window[],
): string[] {
  const what = `event ${event.sequence} (${event.status})`;
  const delivery = payment.detail.deliveries.find(({ id }) => id === event.id);
  if (!delivery) return [`${what} has no delivery`];
  const wrong = [
    ...isWrongState(delivery, visits),
    ...visits.flatMap((visit) => isWrongBody(payment, event, visit)),
  ];
  if (isFoundByScan(event, delivery, windows))
    wrong.push('reached the ledger only by the scan for lost events');
  return wrong.map((says) => `${what} ${says}`);
}

function isWrongState({ state, attempts }: DeliveryShown, visits: readonly Visit[]): string[] {
  const taken = visits.some(({ status }) => status !== null && status < 300);
  if (state === 'delivered') return taken ? [] : ['is delivered, and the receiver never took it'];
  if (state === 'pending') return ['is neither delivered nor dead'];
  const gone = attempts.some(({ statusCode }) => statusCode === 410);
  const given = attempts.length >= attemptsOfSchedule;
  return gone || given ? [] : [`is dead after ${attempts.length} attempts`];
}

function isWrongBody({ detail }: PaymentEvidence, event: EventShown, { event: told }: Visit): string[] {
  const expected = [
    event.type,
    detail.id,
    event.status,
    event.previousStatus ?? undefined,
    detail.amount,
    detail.storeId,
  ];
  const said = [told.event, told.id, told.status, told.previousStatus, told.amount, told.storeId];
  return expected.every((value, index) => value === said[index])
    ? []
    : [`was sent as ${JSON.stringify(said)}`];
}

/**
 * JetStream carries what is committed, whatever is killed. What may be left to the scan: what its own outages lost, what
 * a lost dispatcher had taken while another one, or PostgreSQL, was lost too, and all of a machine without time.
 */
function isFoundByScan(event: EventShown, delivery: DeliveryShown, windows: readonly Window[]): boolean {
  const [from, to] = [Date.parse(event.occurredAt), Date.parse(delivery.createdAt)];
  if (to - from < foundByScanMs) return false;
  const isAway = windows.some(
    (window) => window.fault.startsWith('nats-') && window.from < to && window.to + natsRecoversMs > from,
  );
  const meanwhile = windows.filter((window) => window.from < to && window.to > from);
  const taken = meanwhile.filter(({ fault }) => takesEvents.includes(fault)).length;
  const isTakenTwice = taken > 1 || (taken === 1 && meanwhile.some(({ kind }) => kind === 'postgres'));
  const starvedMs = meanwhile
    .filter(({ kind }) => kind === 'machine')
    .reduce((total, window) => total + Math.min(window.to, to) - Math.max(window.from, from), 0);
  return !isAway && !isTakenTwice && starvedMs < (to - from) / 3;
}
