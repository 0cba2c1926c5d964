import type { ClaimedDelivery } from '@payments/database/deliveries/claim';
import type { AttemptOutcome } from '@payments/database/deliveries/record';
import { deliveryErrorText } from '@payments/domain/delivery-error';
import type { MadeAttempt } from '@payments/metrics/deliveries';
import { failed, type Span, SpanKind, traced } from '@payments/tracing/tracing';
import type { Sender } from '@payments/webhooks/sender';
import type { Logger } from 'pino';
import { type AttemptPolicy, makeAttempt } from './attempt.ts';
import type { Recorder } from './recorder.ts';

export type DeliverOptions = {
  sender: Sender;
  record: Recorder;
  log: Logger;
  policy: AttemptPolicy;
  /** Called with every attempt. */
  onAttempt: (attempt: MadeAttempt) => void;
};

/** Makes an attempt and records it; never rejects. */
export function deliver(delivery: ClaimedDelivery, options: DeliverOptions): Promise<AttemptOutcome> {
  const { id, paymentId, storeId, attempt, traceParent: traceparent } = delivery;
  const attributes = {
    'delivery.id': id,
    'delivery.attempt': attempt,
    'payment.id': paymentId,
    'store.id': storeId,
  };
  return traced('deliver webhook', { kind: SpanKind.CLIENT, attributes, traceparent }, (span) =>
    deliverNow(delivery, options, span),
  );
}

async function deliverNow(
  delivery: ClaimedDelivery,
  { sender, record, log, policy, onAttempt }: DeliverOptions,
  span: Span,
): Promise<AttemptOutcome> {
  const outcome = await makeAttempt(sender, delivery, policy);
  const { attempt, state } = outcome;
  span.setAttribute('delivery.state', state);
  if (attempt.statusCode !== null) span.setAttribute('http.response.status_code', attempt.statusCode);
  if (attempt.error !== null) failed(span, { code: attempt.error.stage ?? String(attempt.statusCode) });
  const delayMs = delivery.attempt === 1 ? policy.now().getTime() - delivery.createdAt.getTime() : null;
  const leaseHeld = await record(outcome);
  onAttempt({ state, stage: attempt.error?.stage ?? null, durationMs: attempt.durationMs, delayMs });
  logAttempt(log, outcome, leaseHeld);
  return outcome;
}

/** A delivered webhook is in the database with its attempts, so its line is for debugging. */
function logAttempt(log: Logger, outcome: AttemptOutcome, leaseHeld: boolean): void {
  const { delivery, attempt, state } = outcome;
  const { id, paymentId, storeId, requestId, endpoint } = delivery;
  const ids = { deliveryId: id, eventId: id, paymentId, storeId, requestId, endpoint };
  const { statusCode, durationMs } = attempt;
  const stage = attempt.error?.stage ?? null;
  const error = attempt.error && deliveryErrorText(attempt.error);
  const line = { ...ids, attempt: delivery.attempt, state, statusCode, stage, error, durationMs, leaseHeld };
  if (state === 'dead') log.error(line, 'delivery is dead');
  else if (stage === 'signature') log.error(line, 'the webhook could not be signed: see SECRETS_KEY');
  else if (state === 'delivered') log.debug(line, 'delivery attempt');
  else log.info(line, 'delivery attempt');
}
