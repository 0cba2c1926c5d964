import type { PaymentEvent } from '@payments/domain/events';

/** @returns the first word of a stream's subjects: `payments` for the stream `PAYMENTS` */
export function subjectPrefix(stream: string): string {
  return stream.toLowerCase();
}

/** @returns `payments.{storeId}.created` or `payments.{storeId}.status_changed` */
export function subjectOf(stream: string, storeId: string, type: PaymentEvent['type']): string {
  return `${subjectPrefix(stream)}.${storeId}.${type.slice('payment.'.length)}`;
}
