import type { AttemptRecord, ClaimedDelivery } from '@payments/database/delivery-claims';
import { webhookBody } from '@payments/domain/events';
import type { AttemptResult } from '@payments/webhooks/attempt-result';
import { nextStep } from '@payments/webhooks/retry';
import type { Sender, WebhookRequest } from '@payments/webhooks/sender';
import { signatureHeaders } from '@payments/webhooks/signature';
import { restOf } from './rest.ts';

/** @returns the signed POST of a delivery: the spec's body (spec 6), Standard Webhooks headers */
export function webhookRequest(delivery: ClaimedDelivery, timestamp: Date): WebhookRequest {
  const { type, payment, previousStatus, secrets } = delivery;
  const body = webhookBody({ type, payment, ...(previousStatus ? { previousStatus } : {}) });
  const headers = signatureHeaders({ id: delivery.id, timestamp, body, secrets });
  return { url: delivery.url, headers: { ...headers, 'content-type': 'application/json' }, body };
}

export type AttemptPolicy = { schedule: readonly number[]; now: () => Date; random: () => number };

/** Makes one attempt. @returns what the ledger is to record of it and what follows; never rejects */
export async function makeAttempt(
  sender: Sender,
  delivery: ClaimedDelivery,
  { schedule, now, random }: AttemptPolicy,
): Promise<AttemptRecord> {
  const startedAt = now();
  const result = await sender.send(webhookRequest(delivery, startedAt));
  const endedAt = now();
  const attempts = delivery.scheduledAttempt;
  const step = nextStep({ attempts, result, now: endedAt, random: random(), schedule });
  return {
    startedAt,
    durationMs: Math.round(result.durationMs),
    ...describe(result),
    error: step.state === 'delivered' ? null : errorOf(result),
    state: step.state,
    restMs: (failures) => restOf(failures, (schedule[0] ?? 0) * 1_000),
    retryInMs: step.state === 'pending' ? step.nextAttemptAt.getTime() - endedAt.getTime() : null,
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
