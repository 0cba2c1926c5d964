import type { Visit } from '../observations.ts';
import type { DeliveryShown, EventShown, PaymentEvidence } from '../verdict/evidence.ts';
import { type Check, ofEachPayment } from './promise.ts';

const attemptsOfSchedule = 6;

/** Promise 2, second half: every event of a payment with a webhookUrl was delivered, or is visibly dead. */
export const deliveries: Check = (run) => {
  const visits = Map.groupBy(run.observations.visits, ({ deliveryId }) => deliveryId);
  return ofEachPayment(2, (payment) => {
    const { webhookUrl, events, deliveries } = payment.detail;
    if (!webhookUrl) return deliveries.map(() => 'it has no webhookUrl, and a delivery');
    return events.flatMap((event) => ofEvent(payment, event, visits.get(event.id) ?? []));
  })(run);
};

function ofEvent(payment: PaymentEvidence, event: EventShown, visits: readonly Visit[]): string[] {
  const what = `event ${event.sequence} (${event.status})`;
  const delivery = payment.detail.deliveries.find(({ id }) => id === event.id);
  if (!delivery) return [`${what} has no delivery`];
  const wrong = [
    ...isWrongState(delivery, visits),
    ...visits.flatMap((visit) => isWrongBody(payment, event, visit)),
  ];
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
  const expected = [event.type, detail.id, event.status, event.previousStatus ?? undefined, detail.storeId];
  const said = [told.event, told.id, told.status, told.previousStatus, told.storeId];
  return expected.every((value, index) => value === said[index])
    ? []
    : [`was sent as ${JSON.stringify(said)}`];
}
