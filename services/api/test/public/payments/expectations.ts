import type { HttpAnswer } from '@payments/testing/http';
import type { Test } from 'tap';

/** The fields of a payment in the create response and in webhooks, sorted. */
export const createdFields = [
  'amount',
  'createdAt',
  'email',
  'feeAmount',
  'id',
  'isPublic',
  'liquidValue',
  'observation',
  'qrCodeUrl',
  'qrCopyPaste',
  'status',
  'storeId',
];

/** The fields of a payment in reads, sorted. */
export const readFields = [...createdFields, 'webhookUrl'].sort();

/** Expects this error: the status and a body of exactly `statusCode` and `message` (Contract: error body). */
export function isError(t: Test, answer: HttpAnswer, statusCode: number, message: string): void {
  t.equal(answer.status, statusCode);
  t.strictSame(answer.body, { statusCode, message });
  t.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
}

/** The pattern of a UUIDv7. */
export const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A date-time as JSON shows it: UTC, with milliseconds. */
export const isoDateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

export const statuses = [
  'pending',
  'approved',
  'review',
  'not_approved',
  'paid',
  'withdrawal_processing',
  'receipt_sent',
  'rejected',
];
