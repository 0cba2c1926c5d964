/** The imports of stores: `public-payments-client`, and `public-payments-client/webhooks` for receivers alone. */

export type { ClientOptions, PaymentsClient } from './client.ts';
export { createClient, isFinal } from './client.ts';
export { ApiError, ConnectionError, PaymentsError, WaitTimeout } from './errors.ts';
export type { CursorKeeper, EventsOptions } from './events.ts';
export type {
  CreatedPayment,
  CreatePayment,
  EventList,
  EventType,
  FeedEvent,
  Payment,
  PaymentEvent,
  PaymentList,
  PaymentStatus,
  Refund,
  RefundRequest,
  StoreEvent,
} from './types.ts';
export type { VerifiedWebhook } from './webhooks.ts';
export { verifyWebhook, WebhookVerificationError } from './webhooks.ts';
