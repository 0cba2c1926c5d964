import type { components } from './openapi.ts';

/** The schemas of the service's OpenAPI document, by short names. Amounts are in reais. */
type Schemas = components['schemas'];

export type PaymentStatus = Schemas['PaymentStatus'];
/** The statuses by which a list may be filtered: a payment may come to have others. */
export type FilterStatus = NonNullable<Schemas['listPaymentsQuery']['status']>;
/** The fields of a creation. */
export type CreatePayment = Schemas['CreatePayment'];
/** A payment in the create response. */
export type CreatedPayment = Schemas['CreatedPayment'];
/** A payment in read responses, with its `webhookUrl`. */
export type Payment = Schemas['Payment'];
/** A page of payments. */
export type PaymentList = Schemas['PaymentList'];
/** The body of a webhook; `event` tells the two types apart. */
export type PaymentEvent = Schemas['PaymentCreatedEvent'] | Schemas['PaymentStatusChangedEvent'];
/** The body of any event: those of the feed, and of webhooks of a store that asks for more (`events` of the store). */
export type StoreEvent = PaymentEvent | Schemas['PaymentUpdatedEvent'] | Schemas['RefundUpdatedEvent'];
/** A refund of a payment, by the service or by the bank. */
export type Refund = Schemas['Refund'];
/** The fields of an order of a refund: all that is left without `amount`. */
export type RefundRequest = Schemas['RefundRequest'];
/** The types of events that the feed may be asked for. */
export type EventType = NonNullable<Schemas['listEventsQuery']['type']>;
/** A page of the feed. */
export type EventList = Schemas['EventList'];
/** An event of the feed; `body` is its webhook's. */
export type FeedEvent = Omit<EventList['items'][number], 'body'> & { body: StoreEvent };
