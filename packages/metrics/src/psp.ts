import { Histogram } from 'prom-client';
import { gaugeBy, type Registry, secondsBuckets } from './registry.ts';

export type PspCall = {
  operation: string;
  outcome: 'ok' | 'refused' | 'unavailable' | 'short-circuited';
  durationMs: number;
};

const breakerStates = ['closed', 'open', 'half-open'] as const;

/** @returns a listener for calls of the PSP, which counts and times them by operation and outcome */
export function pspCallMetrics(register: Registry): (call: PspCall) => void {
  const durations = new Histogram({
    name: 'payments_psp_call_duration_seconds',
    help: 'Calls of the PSP by operation and outcome (ok, refused, unavailable, short-circuited), and their time',
    labelNames: ['operation', 'outcome'],
    buckets: secondsBuckets,
    registers: [register],
  });
  // With a series at 0, the first failure counts as an increase.
  for (const outcome of ['ok', 'refused', 'unavailable']) durations.zero({ operation: 'token', outcome });
  return ({ operation, outcome, durationMs }) =>
    durations.observe({ operation, outcome }, durationMs / 1_000);
}

/** Shows the PSP's circuit breaker: 1 for the state that it is in. */
export function watchPsp(register: Registry, breakerState: () => (typeof breakerStates)[number]): void {
  const name = 'payments_psp_breaker_state';
  const help = 'The circuit breaker of the PSP: 1 for its state';
  gaugeBy(register, { name, help, label: 'state' }, () => {
    const now = breakerState();
    return Object.fromEntries(breakerStates.map((state) => [state, Number(state === now)]));
  });
}
