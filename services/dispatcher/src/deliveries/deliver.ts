import type { ClaimedDelivery } from '@payments/database/deliveries/claimed-delivery';
import { createdAtOf } from '@payments/domain/identifiers';
import type { MadeAttempt } from '@payments/metrics/deliveries';
import { type Span, traced } from '@payments/tracing/tracing';
import type { Sender } from '@payments/webhooks/sender';
import type { Logger } from 'pino';
import { type AttemptPolicy, makeAttempt } from './attempt.ts';
import type { HostBreakers } from './hosts.ts';
import type { Recorder } from './recorder.ts';

export type DeliverOptions = {
  sender: Sender;
  recorder: Recorder;
  hosts: HostBreakers;
  log: Logger;
  policy: AttemptPolicy;
  /** Hears of every attempt that was made. */
  onAttempt: (attempt: MadeAttempt) => void;
  /** Called when a receiver that is well has taken the webhook, which is yet to be recorded. */
  onTaken: () => void;
};

/** Makes an attempt and records it. @returns whether the receiver took it; rejects when it could not be recorded */
export function deliver(delivery: ClaimedDelivery, options: DeliverOptions): Promise<boolean> {
  const { id, paymentId, storeId, attempt, traceParent: parent } = delivery;
  // What was not traced where it began is not traced from here on.
  if (!parent) return deliverNow(delivery, options);
  const attributes = {
    'delivery.id': id,
    'delivery.attempt': attempt,
    'payment.id': paymentId,
    'store.id': storeId,
  };
  return traced('deliver webhook', { kind: 'client', attributes, parent }, (span) =>
    deliverNow(delivery, options, span),
  );
}

async function deliverNow(
  delivery: ClaimedDelivery,
  { sender, recorder, hosts, log, policy, onAttempt, onTaken }: DeliverOptions,
  span?: Span,
): Promise<boolean> {
  const { record, judge, hostSucceeded } = await makeAttempt(sender, delivery, policy);
  hosts.hear(delivery, hostSucceeded);
  // What is said of one that failed must be on record before more is claimed for it.
  if (record.state === 'delivered' && delivery.failures === 0) onTaken();
  span?.set({ 'delivery.state': record.state });
  if (record.statusCode !== null) span?.set({ 'http.response.status_code': record.statusCode });
  if (record.error !== null) span?.failed({ code: record.stage ?? String(record.statusCode) });
  const held = await recorder.record({ delivery, record, judge });
  const { id: deliveryId, paymentId, storeId, requestId, endpoint, attempt } = delivery;
  const { statusCode, stage, error, state, durationMs } = record;
  const delayMs = attempt === 1 ? Date.now() - createdAtOf(deliveryId).getTime() : null;
  onAttempt({ state, stage, durationMs, delayMs });
  const ids = { deliveryId, eventId: deliveryId, paymentId, storeId, requestId, endpoint };
  const line = { ...ids, attempt, state, statusCode, stage, error, durationMs, leaseHeld: held };
  if (state === 'dead') log.error(line, 'delivery is dead');
  else log.info(line, 'delivery attempt');
  return state === 'delivered';
}
