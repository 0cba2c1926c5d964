import type { PaymentView } from './payment.ts';
import type { PaymentStatus } from './status.ts';

export type EventType = 'payment.created' | 'payment.status_changed';

/** An event as it travels on JetStream (design 6). `sequence` counts a payment's events from 1. */
export type PaymentEvent = {
  id: string;
  type: EventType;
  sequence: number;
  occurredAt: string;
  payment: PaymentView;
  previousStatus?: PaymentStatus;
};

/** @returns the webhook's body, to the letter of spec 6.1 and 6.2 */
export function webhookBody(event: Pick<PaymentEvent, 'type' | 'payment' | 'previousStatus'>): string {
  const { type, payment, previousStatus } = event;
  return JSON.stringify({ event: type, ...payment, ...(previousStatus ? { previousStatus } : {}) });
}
