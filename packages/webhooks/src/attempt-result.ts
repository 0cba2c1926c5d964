import type { FailedStage, SendErrorCode } from '@payments/domain/delivery-error';

/** The receiver sent a complete response (or the part that is read) within the deadline. */
export interface AnsweredAttempt {
  outcome: 'answered';
  /** The HTTP status. The retry policy decides whether it is a success. */
  status: number;
  /** The `Retry-After` header as received, at most 128 characters. */
  retryAfter: string | null;
  /** The first KiB of the body as valid text, without NUL or other control characters. */
  responseExcerpt: string;
  durationMs: number;
}

/** The response is missing or incomplete. */
export interface FailedAttempt {
  outcome: 'failed';
  stage: FailedStage;
  code: SendErrorCode;
  /** The system's error code, with the code `system`. */
  detail?: string;
  durationMs: number;
}

/** The result of one attempt to deliver a webhook, as plain data for a database row. */
export type AttemptResult = AnsweredAttempt | FailedAttempt;

/** A 2xx is a success; redirects and all others are failures (Contract: delivery). */
export function isSuccess(result: AttemptResult): boolean {
  return result.outcome === 'answered' && result.status >= 200 && result.status <= 299;
}
