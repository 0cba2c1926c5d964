import { type AttemptResult, isSuccess } from './attempt-result.ts';

/** What an attempt says about the endpoint and about its host; `null` says nothing. */
export interface BreakerSignal {
  endpointSucceeded: boolean | null;
  hostSucceeded: boolean | null;
}

/** Statuses by which a gateway says that there is nothing behind it. */
const GATEWAY_STATUSES = [502, 503, 504];

/**
 * An endpoint succeeds with 2xx, and with 410: it has decided, and there is nothing to protect it from. Its
 * host succeeds with any answer but a gateway's, because one store's failing path must not silence the other
 * stores on that host. A URL that can't be sent to says nothing about anybody.
 */
export function breakerSignal(result: AttemptResult): BreakerSignal {
  if (result.outcome === 'answered') {
    return {
      endpointSucceeded: isSuccess(result) || result.status === 410,
      hostSucceeded: !GATEWAY_STATUSES.includes(result.status),
    };
  }
  const succeeded = result.stage === 'url' ? null : false;
  return { endpointSucceeded: succeeded, hostSucceeded: succeeded };
}
