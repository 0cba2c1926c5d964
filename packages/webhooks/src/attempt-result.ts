/**
 * Where an attempt failed: the URL itself, an address that is not allowed, the name's resolution, TCP,
 * TLS, the total deadline, or an answer that broke off or was not HTTP.
 */
export type FailedStage = 'url' | 'address' | 'dns' | 'connect' | 'tls' | 'timeout' | 'response';

/** The receiver answered in full (or up to the part that is read) within the deadline. */
export interface AnsweredAttempt {
  outcome: 'answered';
  /** The HTTP status; whether it is a success is the retry policy's business. */
  status: number;
  /** The `Retry-After` header as it came, at most 128 characters. */
  retryAfter: string | null;
  /** The first KiB of the body as valid text, without NUL or other control characters. */
  responseExcerpt: string;
  durationMs: number;
}

/** There was no complete answer. */
export interface FailedAttempt {
  outcome: 'failed';
  stage: FailedStage;
  /** Short, free of addresses and secrets, fit to be shown to the store. */
  error: string;
  durationMs: number;
}

/** What one attempt to deliver a webhook came to. Plain data, fit for a database row. */
export type AttemptResult = AnsweredAttempt | FailedAttempt;

/** Any 2xx is a success; redirects and everything else are not (Contract: delivery). */
export function isSuccess(result: AttemptResult): boolean {
  return result.outcome === 'answered' && result.status >= 200 && result.status <= 299;
}
