import type { PaymentStatus } from '@payments/domain/status';
import type { Terms } from './model.ts';
import type { Scan } from './operations.ts';

/** A payment of the history, by its place; 2 is the lost one, which the bank's steps and callbacks may be about. */
type Of = { of: number };

/** How a callback tells: of an older state, in another order, twice, or as nobody can read it whole. */
export type Telling = { old: number; turned: boolean; twice: boolean; odd: 'amounts' | 'ids' | null };

/** A step that runs the service's code, and may be interrupted. */
export type Work =
  /** `ahead`: how many seconds the clock of the process that runs it differs. */
  | { kind: 'scan'; scan: Scan; bank: number; ahead?: number }
  /** A person orders a Pix of the lost payment back. */
  | { kind: 'refundLost'; pix: number }
  /** A person compares today with a bank. */
  | { kind: 'look'; bank: number }
  | (Of & { kind: 'tell'; bank: number } & Telling)
  | (Of & { kind: 'decide'; to: PaymentStatus | 'next' })
  | (Of & { kind: 'refund'; share: number; key?: string | undefined })
  | (Of & { kind: 'anew' });

export type Crash = { at: 'statement' | 'sent' | 'call' | 'answer'; n: number };

export type Step =
  | (Work & { crash?: Crash | undefined })
  | { kind: 'together'; works: readonly [Work, Work] }
  | (Of & { kind: 'pay'; amount: 'exact' | 'under' | 'over'; leftover: boolean })
  | (Of & { kind: 'med'; pix: number; share: number; slow: boolean; refused: boolean })
  | { kind: 'pass'; seconds: number }
  | { kind: 'skew'; seconds: number }
  | { kind: 'faults'; bank: number; faults: Record<string, unknown> }
  /** The configured banks, in order of preference. */
  | { kind: 'banks'; configured: readonly number[] };

/** One request of a payment's creation. The last one is answered. */
export type Try = {
  /** The faults of each bank. */
  faults: readonly Record<string, unknown>[];
  crash?: Crash | undefined;
  /** The scans that run before the next try. */
  after: readonly Work[];
};

export type Plan = {
  /** `banks` by place, in the store's order; null for all. */
  stores: { terms: Terms; banks: readonly number[] | null }[];
  payments: { amount: number; store: number; tries: readonly Try[] }[];
  /** The banks at the creations. */
  configured: readonly number[];
  paused: number | null;
  /** A payment that a restored database has lost, at a bank; and whether such a one is created anew. */
  lost: { place: number; recovers: boolean } | null;
  steps: Step[];
};
