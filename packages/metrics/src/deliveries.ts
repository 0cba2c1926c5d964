import { Counter, Histogram } from 'prom-client';
import { type Registry, secondsBuckets } from './registry.ts';

export type MadeAttempt = {
  state: 'pending' | 'delivered' | 'dead';
  /** Where it failed; null if the endpoint responded. */
  stage: string | null;
  durationMs: number;
  /** For an event's first attempt: the time from the event to the end of the attempt. */
  delayMs: number | null;
};

const outcomes = { delivered: 'delivered', pending: 'retry', dead: 'dead' } as const;
const stages = [
  'none',
  'signature',
  'url',
  'address',
  'dns',
  'connect',
  'tls',
  'timeout',
  'response',
  'lost',
];

/** Counts webhook attempts by outcome and failed stage, and measures their time and the first attempts' delay. */
export function attemptMetrics(register: Registry): (attempt: MadeAttempt) => void {
  const attempts = new Counter({
    name: 'payments_delivery_attempts_total',
    help: 'Webhook attempts by outcome (delivered, retry, dead) and the stage that failed (none: there was a response)',
    labelNames: ['outcome', 'stage'],
    registers: [register],
  });
  const durations = new Histogram({
    name: 'payments_delivery_attempt_duration_seconds',
    help: 'Time of a webhook attempt, by outcome',
    labelNames: ['outcome'],
    buckets: secondsBuckets,
    registers: [register],
  });
  const delays = new Histogram({
    name: 'payments_delivery_delay_seconds',
    help: 'From an event to the end of the first attempt to deliver it',
    buckets: [...secondsBuckets, 60, 300],
    registers: [register],
  });
  // With a series at 0, the first dead or unsigned delivery counts as an increase.
  for (const stage of stages) attempts.inc({ outcome: 'dead', stage }, 0);
  attempts.inc({ outcome: 'retry', stage: 'signature' }, 0);
  return ({ state, stage, durationMs, delayMs }) => {
    const outcome = outcomes[state];
    attempts.inc({ outcome, stage: stage ?? 'none' });
    durations.observe({ outcome }, durationMs / 1_000);
    if (delayMs !== null) delays.observe(Math.max(0, delayMs) / 1_000);
  };
}
