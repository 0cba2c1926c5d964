import type { KeyObject } from 'node:crypto';
import type { ClaimedDelivery } from '@payments/database/deliveries/claim';
import type { AttemptOutcome } from '@payments/database/deliveries/record';
import { webhookBody } from '@payments/domain/events';
import { type AttemptResult, isSuccess } from '@payments/webhooks/attempt-result';
import { endpointSucceeded } from '@payments/webhooks/endpoint-health';
import { isAbandoned, nextStep } from '@payments/webhooks/retry';
import type { Sender, WebhookRequest } from '@payments/webhooks/sender';
import { signatureHeaders } from '@payments/webhooks/signature';
import { userAgent } from '../settings.ts';

export type AttemptPolicy = {
  schedule: readonly number[];
  now: () => Date;
  /** Makes a signing key of a store's stored secret. */
  keyOf: (storedSecret: string, storeId: string) => KeyObject;
};

/**
 * Makes one attempt; never rejects.
 * @returns its outcome, for the record
 */
export async function makeAttempt(
  sender: Sender,
  delivery: ClaimedDelivery,
  { schedule, now, keyOf }: AttemptPolicy,
): Promise<AttemptOutcome> {
  const startedAt = now();
  const attempts = delivery.scheduledAttempt;
  if (isAbandoned(attempts, schedule)) return abandoned(delivery, startedAt);
  const result = await attempted(sender, () => webhookRequest(delivery, startedAt, keyOf));
  return {
    delivery,
    attempt: { startedAt, ...logged(result) },
    ...nextStep({ attempts, result, now: now(), random: Math.random(), schedule }),
    endpointSucceeded: endpointSucceeded(result),
  };
}

/** A store's secret that can't sign fails this attempt, and not the dispatcher. */
async function attempted(sender: Sender, sign: () => WebhookRequest): Promise<AttemptResult> {
  let request: WebhookRequest;
  try {
    request = sign();
  } catch {
    return { outcome: 'failed', stage: 'signature', code: 'unsigned', durationMs: 0 };
  }
  return sender.send(request);
}

/** @returns the signed POST of a delivery, with the headers of Standard Webhooks */
function webhookRequest(
  delivery: ClaimedDelivery,
  timestamp: Date,
  keyOf: AttemptPolicy['keyOf'],
): WebhookRequest {
  const { id, storeId, url, secret, previousSecret } = delivery;
  const body = webhookBody(delivery);
  const stored = previousSecret === null ? [secret] : [secret, previousSecret];
  const signature = signatureHeaders({ id, timestamp, body, keys: stored.map((one) => keyOf(one, storeId)) });
  return {
    url,
    headers: { ...signature, 'content-type': 'application/json', 'user-agent': userAgent },
    body,
  };
}

/** Ends a delivery whose attempts were all lost, without another attempt. */
function abandoned(delivery: ClaimedDelivery, startedAt: Date): AttemptOutcome {
  const error = { stage: 'lost' as const, code: 'abandoned' as const };
  const attempt = { startedAt, durationMs: 0, statusCode: null, error, responseExcerpt: null };
  return { delivery, attempt, state: 'dead', retryInMs: null, endpointSucceeded: null };
}

function logged(result: AttemptResult): Omit<AttemptOutcome['attempt'], 'startedAt'> {
  if (result.outcome === 'failed') {
    const { outcome: _, durationMs, ...error } = result;
    return { durationMs, statusCode: null, error, responseExcerpt: null };
  }
  const { durationMs, status: statusCode, responseExcerpt } = result;
  const error = { stage: null, code: 'status' as const, detail: String(statusCode) };
  return { durationMs, statusCode, error: isSuccess(result) ? null : error, responseExcerpt };
}
