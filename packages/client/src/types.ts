import type { components } from './openapi.ts';

/** The shapes of the service's OpenAPI document, by short names. Amounts are in reais. */
type Schemas = components['schemas'];

export type PaymentStatus = Schemas['PaymentStatus'];
/** What a payment is created from. */
export type CreatePayment = Schemas['CreatePayment'];
/** A payment as its creation answers it. */
export type CreatedPayment = Schemas['CreatedPayment'];
/** A payment as reads answer it: with its `webhookUrl`. */
export type Payment = Schemas['Payment'];
/** A page of payments. */
export type PaymentList = Schemas['PaymentList'];
/** What a webhook says; `event` tells which of the two it is. */
export type PaymentEvent = Schemas['PaymentCreatedEvent'] | Schemas['PaymentStatusChangedEvent'];
