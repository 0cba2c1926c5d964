import type { AttemptRecord } from '@payments/database/deliveries/attempts';
import type { ClaimedDelivery } from '@payments/database/deliveries/claimed-delivery';
import type { EndpointJudge } from '@payments/database/deliveries/endpoints';
import { webhookBody } from '@payments/domain/events';
import type { AttemptResult } from '@payments/webhooks/attempt-result';
import { afterAttempt, type BreakerPolicy, CLOSED } from '@payments/webhooks/breaker';
import { breakerSignal } from '@payments/webhooks/breaker-signal';
import { park } from '@payments/webhooks/parking';
import { isAbandoned, nextStep } from '@payments/webhooks/retry';
import type { Sender, WebhookRequest } from '@payments/webhooks/sender';
import { signatureHeaders } from '@payments/webhooks/signature';
import { userAgent } from '../user-agent.ts';

/** @returns the signed POST of a delivery: the spec's body (spec 6), Standard Webhooks headers */
function webhookRequest(delivery: ClaimedDelivery, timestamp: Date): WebhookRequest {
  const { type, payment, previousStatus, secrets } = delivery;
  const body = webhookBody({ type, payment, previousStatus });
  const signature = signatureHeaders({ id: delivery.id, timestamp, body, secrets });
  const headers = { ...signature, 'content-type': 'application/json', 'user-agent': userAgent };
  return { url: delivery.url, headers, body };
}

export type AttemptPolicy = {
  schedule: readonly number[];
  breaker: BreakerPolicy;
  now: () => Date;
  random: () => number;
};

/** What came of an attempt: the ledger's record, and what it says of the endpoint and of its host. */
export type MadeAttempt = { record: AttemptRecord; judge: EndpointJudge; hostSucceeded: boolean | null };

/** Makes one attempt; never rejects. */
export async function makeAttempt(
  sender: Sender,
  delivery: ClaimedDelivery,
  { schedule, breaker, now, random }: AttemptPolicy,
): Promise<MadeAttempt> {
  const startedAt = now();
  if (isAbandoned(delivery.scheduledAttempt, schedule)) return abandoned(startedAt);
  const result = await sender.send(webhookRequest(delivery, startedAt));
  const endedAt = now();
  const attempts = delivery.scheduledAttempt;
  const step = nextStep({ attempts, result, now: endedAt, random: random(), schedule });
  const record: AttemptRecord = {
    ...describe(result),
    startedAt,
    durationMs: Math.round(result.durationMs),
    error: step.state === 'delivered' ? null : errorOf(result),
    state: step.state,
    retryInMs: step.state === 'pending' ? step.nextAttemptAt.getTime() - endedAt.getTime() : null,
  };
  const { hostSucceeded } = breakerSignal(result);
  return { record, judge: judgeOf(result, delivery.probe, endedAt, breaker), hostSucceeded };
}

/** Not an attempt, but the end of a delivery whose attempts all vanished. */
function abandoned(startedAt: Date): MadeAttempt {
  const error = 'lost: the processes that attempted it disappeared; it is not attempted again';
  const outcome = { statusCode: null, stage: 'lost', error, responseExcerpt: null };
  const record: AttemptRecord = { startedAt, durationMs: 0, ...outcome, state: 'dead', retryInMs: null };
  return { record, judge: (health) => health, hostSucceeded: null };
}

function judgeOf(result: AttemptResult, probe: boolean, now: Date, policy: BreakerPolicy): EndpointJudge {
  const { endpointSucceeded: succeeded } = breakerSignal(result);
  return (health) => {
    if (succeeded === null) return health;
    return succeeded ? null : park(afterAttempt(health ?? CLOSED, { succeeded, probe }, now, policy), now);
  };
}

function describe(result: AttemptResult) {
  return result.outcome === 'answered'
    ? { statusCode: result.status, stage: null, responseExcerpt: result.responseExcerpt }
    : { statusCode: null, stage: result.stage, responseExcerpt: null };
}

function errorOf(result: AttemptResult): string {
  return result.outcome === 'answered' ? `status ${result.status}` : `${result.stage}: ${result.error}`;
}
