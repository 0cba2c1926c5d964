import type { Socket } from 'node:net';
import { canonicalKey } from '@payments/pix/keys';
import type { FastifyBaseLogger } from 'fastify';
import { type Access, type AccessOptions, createAccess } from './access.ts';
import { type BankName, banks } from './banks/all.ts';
import type { BankRules } from './banks/rules.ts';
import { type Callbacks, createCallbacks } from './callbacks.ts';
import { type Faults, noFaults, type Operation } from './faults.ts';
import { dropOldCharges } from './journal.ts';
import { type Ledger, openLedger } from './ledger.ts';
import { Problem } from './problem.ts';

const dayMs = 86_400_000;

/** One bank: its ledger, its clock and its faults. */
export type Bank = {
  readonly ledger: Ledger;
  readonly clock: Clock;
  readonly faults: Faults;
  readonly callbacks: Callbacks;
  readonly conformity: Conformity;
  readonly unknown: UnknownRequest[];
  readonly access: Access;
  /** This bank's refusals, and its way of answering. */
  readonly rules: BankRules;
  /** Throw Problem over the bank's limits. */
  readonly countCall: () => void;
  readonly countToken: () => void;
  readonly clientId: string;
  readonly account: string | null;
  /** Connections that a fault leaves without an answer. */
  readonly hanging: Set<Socket>;
  readonly merchantName: string;
  /** The receiver's only Pix key; null takes any. */
  readonly key: string | null;
  /** It is for test stores alone: tokens at no other bank's place, and its other side for its clients only. */
  readonly isTestBank: boolean;
};

export type BankOptions = AccessOptions & {
  /** The bank whose deviations are simulated. Default: none. */
  profile?: BankName;
  /** Without the bank's limits of calls. */
  unlimited?: boolean;
  /** The account that calls must name, where the bank has several. */
  account?: string;
  isTestBank?: boolean;
  dataFile?: string;
  /** The start drops charges that have ended longer ago than so many days. Default: none. */
  dataDays?: number;
  merchantName?: string;
  now?: () => number;
  key?: string;
  /** Pauses between the attempts of one callback. */
  callbackRetryMs?: number[];
};

export function openBank(options: BankOptions, log: FastifyBaseLogger): Bank {
  const now = options.now ?? Date.now;
  if (options.dataFile && options.dataDays)
    dropOldCharges(options.dataFile, now() - options.dataDays * dayMs);
  const ledger = openLedger(options.dataFile);
  const faults = noFaults();
  const rules: BankRules = banks[options.profile ?? 'bacen'];
  const retryMs = options.callbackRetryMs ?? [1000, 5000, 15_000, 60_000];
  return {
    ledger,
    faults,
    conformity: newConformity(),
    unknown: [],
    clock: createClock(now),
    callbacks: createCallbacks({ ledger, faults, log, retryMs, rules }),
    // Tokens follow the machine's clock, so moving the bank's clock ends none.
    access: createAccess(options, rules, faults, now),
    rules,
    countCall: createLimit(options.unlimited ? null : rules.callsPerMinute, now),
    countToken: createLimit(options.unlimited ? null : rules.tokensPerMinute, now),
    clientId: options.clientId ?? '',
    account: options.account ?? null,
    hanging: new Set(),
    merchantName: options.merchantName ?? 'Loja de Demonstração',
    // DICT keeps a key in one form, however the receiver wrote it.
    key: options.key ? canonicalKey(options.key) : null,
    isTestBank: options.isTestBank ?? false,
  };
}

/** The bank's clock: the machine's, moved by an offset. Milliseconds. */
export interface Clock {
  now(): number;
  offset(): number;
  setOffset(milliseconds: number): void;
}

export function createClock(machine: () => number): Clock {
  let offset = 0;
  return {
    now: () => machine() + offset,
    offset: () => offset,
    setOffset: (milliseconds) => {
      offset = milliseconds;
    },
  };
}

/** A request that names a charge or a Pix that this bank does not have; `id` is its txid or endToEndId. */
export type UnknownRequest = { operation: Operation; id: string };

/** How many requests of the API Pix were checked against its schemas, and those that failed. */
export type Conformity = {
  checked: number;
  violations: { method: string; url: string; problem: string; violations: Problem['violations'] }[];
};

export function newConformity(): Conformity {
  return { checked: 0, violations: [] };
}

/** Counts calls in the last minute, and refuses what is over the bank's limit. */
export function createLimit(perMinute: number | null, now: () => number): () => void {
  const calls: number[] = [];
  return () => {
    if (perMinute === null) return;
    const at = now();
    while (calls[0] !== undefined && calls[0] <= at - 60_000) calls.shift();
    if (calls.length >= perMinute)
      throw new Problem(429, 'RequisicaoInvalida', 'Limite de requisições excedido.');
    calls.push(at);
  };
}
