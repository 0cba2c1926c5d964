import type { EventType } from '@payments/domain/events';

/** @returns the first word of a stream's subjects: `payments` for the stream `PAYMENTS` */
export function subjectPrefix(stream: string): string {
  return stream.toLowerCase();
}

const lastWords: Record<EventType, string> = {
  'payment.created': 'created',
  'payment.status_changed': 'status_changed',
  'payment.updated': 'updated',
  'refund.updated': 'refund_updated',
};

/** @returns the subject of a store's events of one type, such as `payments.{storeId}.created` (Contract: stream) */
export function subjectOf(stream: string, storeId: string, type: EventType): string {
  return `${subjectPrefix(stream)}.${storeId}.${lastWords[type]}`;
}
