import type { PaymentView } from './payment.ts';
import type { PaymentStatus } from './status.ts';

export type EventType = 'payment.created' | 'payment.status_changed';

/** An event as it travels on JetStream (Contract: stream). `sequence` numbers a payment's events from 1. */
export type PaymentEvent = {
  id: string;
  type: EventType;
  sequence: number;
  occurredAt: string;
  payment: PaymentView;
  previousStatus?: PaymentStatus;
};

/** A committed event, with its store and its cause. */
export type CommittedEvent = {
  event: PaymentEvent;
  storeId: string;
  requestId: string | null;
  /** The W3C `traceparent` of its cause, if that was traced. */
  traceParent: string | null;
  /** True if it has a delivery: only events of payments with a webhookUrl do. */
  hasDelivery: boolean;
};

/** The content of a webhook. `payment` is the JSON text that was committed with the event. */
export type WebhookContent = { type: EventType; payment: string; previousStatus: PaymentStatus | null };

/** @returns the webhook's body (Contract: webhook body), with the given bytes of the payment */
export function webhookBody({ type, payment, previousStatus }: WebhookContent): string {
  const members = payment.slice(1, -1);
  const last = previousStatus === null ? '' : `,"previousStatus":"${previousStatus}"`;
  return `{"event":"${type}",${members}${last}}`;
}
