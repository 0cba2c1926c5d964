import type { components, operations } from './openapi.ts';

/** The schemas of the service's OpenAPI document, by short names. Amounts are in reais. */
type Schemas = components['schemas'];

export type PaymentStatus = Schemas['PaymentStatus'];
/** The statuses by which a list may be filtered: a payment may come to have others. */
export type FilterStatus = NonNullable<
  NonNullable<operations['listPayments']['parameters']['query']>['status']
>;
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
