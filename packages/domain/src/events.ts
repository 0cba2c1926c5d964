import type { PaymentView } from './payment.ts';
import type { PaymentStatus } from './status.ts';

export type EventType = 'payment.created' | 'payment.status_changed';

/** An event as it travels on JetStream (Contract: stream). `sequence` counts a payment's events from 1. */
export type PaymentEvent = {
  id: string;
  type: EventType;
  sequence: number;
  occurredAt: string;
  payment: PaymentView;
  previousStatus?: PaymentStatus;
};

/** What a webhook tells: the payment is the JSON object that was committed with the event, as text. */
export type WebhookContent = { type: EventType; payment: string; previousStatus: PaymentStatus | null };

/** @returns the webhook's body (Contract: webhook body); the payment's members are the bytes given */
export function webhookBody({ type, payment, previousStatus }: WebhookContent): string {
  const members = payment.slice(1, -1);
  const last = previousStatus === null ? '' : `,"previousStatus":"${previousStatus}"`;
  return `{"event":"${type}",${members}${last}}`;
}
