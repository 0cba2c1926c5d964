import { Gauge, Histogram } from 'prom-client';
import { type Registry, secondsBuckets } from './registry.ts';

export type PspCall = {
  operation: string;
  outcome: 'ok' | 'refused' | 'unavailable' | 'short-circuited';
  durationMs: number;
};

const breakerStates = ['closed', 'open', 'half-open'] as const;

/** The states of a bank's circuit breakers, by their names. */
export type BreakersOfBank = { id: string; states: Readonly<Record<string, (typeof breakerStates)[number]>> };

/** @returns a listener for calls of a bank, which counts and times them by bank, operation and outcome */
export function pspCallMetrics(register: Registry): (bank: string, call: PspCall) => void {
  const durations = new Histogram({
    name: 'payments_psp_call_duration_seconds',
    help: 'Calls of a PSP by bank, operation and outcome (ok, refused, unavailable, short-circuited), and their time',
    labelNames: ['bank', 'operation', 'outcome'],
    buckets: secondsBuckets,
    registers: [register],
  });
  const seen = new Set<string>();
  return (bank, { operation, outcome, durationMs }) => {
    // With a series at 0, the first failure counts as an increase.
    if (!seen.has(bank))
      for (const first of ['ok', 'refused', 'unavailable'])
        durations.zero({ bank, operation: 'token', outcome: first });
    seen.add(bank);
    durations.observe({ bank, operation, outcome }, durationMs / 1_000);
  };
}

/** Shows the circuit breakers of each bank: 1 for the state that each is in. */
export function watchPsp(register: Registry, banks: () => readonly BreakersOfBank[]): void {
  new Gauge({
    name: 'payments_psp_breaker_state',
    help:
      'The circuit breakers of each PSP, for new charges (creations), lists, and others: 1 for its state. ' +
      'One without failures for a minute counts as closed',
    labelNames: ['bank', 'breaker', 'state'],
    registers: [register],
    collect() {
      this.reset();
      for (const { id: bank, states } of banks())
        for (const [breaker, state] of Object.entries(states))
          for (const one of breakerStates) this.set({ bank, breaker, state: one }, Number(one === state));
    },
  });
}
