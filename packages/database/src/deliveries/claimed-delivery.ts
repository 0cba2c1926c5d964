import type { EventType } from '@payments/domain/events';
import type { PaymentStatus } from '@payments/domain/status';
import { type RawBuilder, sql } from 'kysely';

/** A delivery that this process alone may attempt until its lease ends. */
export type ClaimedDelivery = {
  id: string;
  claimId: string;
  paymentId: string;
  storeId: string;
  sequence: number;
  url: string;
  /** What counts as one receiver. */
  endpoint: string;
  /** The number of this attempt, from 1. */
  attempt: number;
  /** The attempts of the present retry schedule, this one included: a redrive starts it anew. */
  scheduledAttempt: number;
  type: EventType;
  /** As JSON: the bytes that were committed. */
  payment: string;
  previousStatus: PaymentStatus | null;
  requestId: string | null;
  /** The W3C `traceparent` of what caused the event, where that was traced. */
  traceParent: string | null;
  secrets: string[];
  /** How many attempts at its endpoint had failed in a row, as it was claimed. */
  failures: number;
  /** Whether it probes an endpoint whose breaker is open. */
  probe: boolean;
};

/** The row that a claim returns. */
export type ClaimRow = {
  id: string;
  claim_id: string;
  payment_id: string;
  store_id: string;
  sequence: number;
  url: string;
  endpoint: string;
  attempts: number;
  attempts_before_redrive: number;
  request_id: string | null;
  trace_parent: string | null;
  type: EventType;
  payload: string;
  previous_status: PaymentStatus | null;
  secret: string;
  previous_secret: string | null;
  failures: number | null;
};

/** The columns of its own row, to be returned as `claimed`. */
export function claimedColumns(row: string): RawBuilder<unknown> {
  return sql.raw(columns.map((column) => `${row}.${column}`).join(', '));
}

const columns = [
  'id',
  'claim_id',
  'payment_id',
  'store_id',
  'sequence',
  'url',
  'endpoint',
  'attempts',
  'attempts_before_redrive',
  'request_id',
];

/** Reads what an attempt needs besides, for the rows of `claimed` that have a claim; the others come without a payload. */
export const claimedDetails: RawBuilder<ClaimRow> = sql`
  select c.*, e.trace_parent, e.type, e.payload::text as payload, e.previous_status,
    s.webhook_secret as secret,
    case when s.previous_webhook_secret_until > now() then s.previous_webhook_secret end as previous_secret,
    (select failures from failing_endpoints where id = c.endpoint)
  from claimed c
    left join lateral (select * from events where id = c.id and c.claim_id is not null limit 1) e on true
    cross join lateral (select * from stores where id = c.store_id limit 1) s`;

/**
 * Whether a delivery waits for the first attempt of the event before it, as SQL. Its state is not named: a plan might
 * then take the index of all that is pending.
 */
export function isWaiting(row: string): RawBuilder<boolean> {
  return sql.raw(`not ${row}.attempted and ${row}.next_attempt_at is null`);
}

export function toClaimed(row: ClaimRow, probe: boolean): ClaimedDelivery {
  return {
    id: row.id,
    claimId: row.claim_id,
    paymentId: row.payment_id,
    storeId: row.store_id,
    sequence: row.sequence,
    url: row.url,
    endpoint: row.endpoint,
    attempt: row.attempts,
    scheduledAttempt: row.attempts - row.attempts_before_redrive,
    type: row.type,
    payment: row.payload,
    previousStatus: row.previous_status,
    requestId: row.request_id,
    traceParent: row.trace_parent,
    secrets: row.previous_secret === null ? [row.secret] : [row.secret, row.previous_secret],
    failures: row.failures ?? 0,
    probe,
  };
}
