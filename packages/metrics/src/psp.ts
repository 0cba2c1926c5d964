import type { BreakerState, PixCall } from '@payments/pix/client';
import { Histogram } from 'prom-client';
import { gaugeBy, type Registry, secondsBuckets } from './registry.ts';

/** @returns what hears of every call of the PSP: by operation and outcome, and its time */
export function pspCallMetrics(register: Registry): (call: PixCall) => void {
  const durations = new Histogram({
    name: 'payments_psp_call_duration_seconds',
    help: 'Calls of the PSP by operation and outcome (ok, refused, unavailable, short-circuited), and their time',
    labelNames: ['operation', 'outcome'],
    buckets: secondsBuckets,
    registers: [register],
  });
  // So that the first one to fail is an increase.
  for (const outcome of ['ok', 'refused', 'unavailable']) durations.zero({ operation: 'token', outcome });
  return ({ operation, outcome, durationMs }) =>
    durations.observe({ operation, outcome }, durationMs / 1_000);
}

/** Shows the PSP's circuit breaker: 1 for the state that it is in. */
export function watchPsp(register: Registry, breakerState: () => BreakerState): void {
  const name = 'payments_psp_breaker_state';
  const help = 'The circuit breaker of the PSP: 1 for its state';
  gaugeBy(register, { name, help, label: 'state' }, () => {
    const state = breakerState();
    return {
      closed: Number(state === 'closed'),
      open: Number(state === 'open'),
      'half-open': Number(state === 'half-open'),
    };
  });
}
