import { type RawBuilder, sql } from 'kysely';
import type { ClaimedDelivery } from './claimed-delivery.ts';

/** What one claim may take. */
export type ClaimBounds = {
  limit: number;
  leaseMs: number;
  /** How many more attempts an endpoint may have under way; those not named may have `perEndpoint`. */
  free: ReadonlyMap<string, number>;
  perEndpoint: number;
  /** Whether of endpoints, too, whose last attempts failed. */
  failing: boolean;
};

/** The slots that an endpoint still has, as SQL: looked up by position, so that the statement's text never changes. */
export function freeSlots({ free, perEndpoint }: ClaimBounds, row: string): RawBuilder<number> {
  const endpoints = [...free.keys()];
  const slots = [...free.values()];
  return sql<number>`coalesce((${slots}::int[])[array_position(${endpoints}::uuid[], ${sql.ref(`${row}.endpoint`)})],
    ${perEndpoint})`;
}

/** Whether a delivery is to be attempted, now or later, as SQL: said like this, it is found by its endpoint. */
export const isToAttempt: RawBuilder<boolean> = sql.raw('(next_attempt_at is null) is false');

/** Whether a delivery is due, and nobody has a lease on it, as SQL. */
export function isDue(row = 'deliveries'): RawBuilder<boolean> {
  return sql.raw(`${row}.next_attempt_at <= now() and (${row}.leased_until > now()) is not true`);
}

// One failure may be chance.
const failuresByChance = 1;

/** Whether the endpoint in failing_endpoints `f` fails, as SQL. */
const isFailing: RawBuilder<boolean> = sql.raw(`f.failures > ${failuresByChance}`);

/** Whether the endpoint of a delivery failed, as that was claimed. */
export const isOfFailing = ({ failures }: ClaimedDelivery): boolean => failures > failuresByChance;

/** Whether the row's endpoint is not to be claimed now, as SQL. */
export function isLeftAlone({ failing }: ClaimBounds, row: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from failing_endpoints f where f.id = ${sql.ref(`${row}.endpoint`)}
    and (f.open_until is not null or (${isFailing} and not ${failing}::boolean)))`;
}
