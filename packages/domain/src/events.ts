import type { PaymentView } from './payment.ts';
import type { RefundState, RefundView } from './refunds.ts';
import type { PaymentStatus } from './status.ts';
import { optionalEvents } from './store-choices.ts';

/** The events that every payment's `webhookUrl` gets (Contract: webhooks). */
const statusEvents = ['payment.created', 'payment.status_changed'] as const;

/** All types: the optional ones tell whatever else a store's reads show (Contract: more events). */
export const eventTypes = [...statusEvents, ...optionalEvents] as const;
export type EventType = (typeof eventTypes)[number];

/** The rest of an event beside the payment: the values before, and the refund that it is about. */
export type EventDetails = {
  /** The payment's status before, or the refund's; absent for what is new, and for `payment.updated`. */
  previousStatus?: PaymentStatus | RefundState;
  /** The earlier values of the fields that a `payment.updated` changed. */
  previous?: Partial<PaymentView>;
  /** The refund of a `refund.updated`. */
  refund?: RefundView;
};

/** An event as it travels on JetStream (Contract: stream). `sequence` numbers a payment's events from 1. */
export type PaymentEvent = {
  id: string;
  type: EventType;
  sequence: number;
  occurredAt: string;
  payment: PaymentView;
} & EventDetails;

/** A committed event, with its store and its cause. */
export type CommittedEvent = {
  event: PaymentEvent;
  storeId: string;
  requestId: string | null;
  /** The W3C `traceparent` of its cause, if that was traced. */
  traceParent: string | null;
  /** True if it has a delivery: the payment has a webhookUrl, and its store wants this type. */
  hasDelivery: boolean;
};

/** The content of a webhook. `payment`, `previous` and `refund` are the JSON texts that were committed with the event. */
export type WebhookContent = {
  type: EventType;
  payment: string;
  previousStatus: string | null;
  previous: string | null;
  refund: string | null;
};

/** @returns the webhook's body (Contract: webhook body, more events), with the bytes that were committed */
export function webhookBody({ type, payment, previousStatus, previous, refund }: WebhookContent): string {
  const subject = refund === null ? payment.slice(1, -1) : `"refund":${refund}`;
  const before = previous === null ? '' : `,"previous":${previous}`;
  const last = previousStatus === null ? '' : `,"previousStatus":"${previousStatus}"`;
  return `{"event":"${type}",${subject}${before}${last}}`;
}

/** @returns what an event says, apart from its time and its number (see `eventIdOf`) */
export function essenceOf({
  type,
  payment,
  refund,
}: Pick<PaymentEvent, 'type' | 'payment' | 'refund'>): string {
  if (refund) return `${refund.endToEndId}/${refund.id}/${refund.status}/${refund.amount}`;
  if (type !== 'payment.updated') return payment.status;
  return `${payment.amount}/${payment.qrCopyPaste === null ? 'without' : 'with'} a code`;
}
