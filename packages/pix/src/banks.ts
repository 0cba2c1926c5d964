import { callbackSecretOf } from './callback.ts';
import { createPixClient, type PixClient } from './client.ts';
import type { Profile } from './profiles/profile.ts';
import type { UnusableFile } from './tls-files.ts';
import type { PixCall, PixClientOptions } from './types.ts';

/** One account at a bank, as it is configured. */
export type BankAccount = {
  /** Unique; payments, refunds and metrics name it. */
  id: string;
  options: PixClientOptions & { profile: Profile };
  /** The address at which this bank reaches us, if not the service's public address. */
  callbackUrl: string | null;
};

/** A bank that charges can be made at. */
export type Bank = {
  id: string;
  psp: string;
  client: PixClient;
  /** The most that one operation may take. */
  timeoutMs: number;
  callbackUrl: string | null;
  /** The secret part of this bank's callback address. `fallback` is for a bank without a client secret. */
  callbackSecret(fallback: string): string;
};

/** The configured banks. They may change while the process runs, so look a bank up at each use. */
export type Banks = {
  /** In order of preference. */
  all(): readonly Bank[];
  find(id: string): Bank | undefined;
};

export type OpenBanks = Banks & {
  /**
   * Replaces the accounts. Clients of unchanged accounts stay; the others close when the longest operation in flight
   * has ended. Without a difference nothing happens.
   */
  replace(accounts: readonly BankAccount[]): void;
  onReplaced(listener: () => void): void;
  close(): Promise<void>;
};

export type BanksOptions = {
  now?: () => number;
  onCall?: (bank: string, call: PixCall) => void;
  onUnusableFile?: (bank: string, error: UnusableFile) => void;
};

type Open = Bank & { fingerprint: string };

/** @throws if the certificates of an account can't be used; nothing is opened then */
export function openBanks(accounts: readonly BankAccount[], options: BanksOptions = {}): OpenBanks {
  const listeners: (() => void)[] = [];
  const retired = new Map<Bank, NodeJS.Timeout>();
  let banks = accounts.map((account) => open(account, options));
  const retire = (bank: Open) => {
    const end = () => {
      retired.delete(bank);
      bank.client.close().catch(() => {});
    };
    retired.set(bank, setTimeout(end, bank.timeoutMs).unref());
  };
  return {
    all: () => banks,
    find: (id) => banks.find((bank) => bank.id === id),
    replace: (next) => {
      const kept = new Map(banks.map((bank) => [bank.fingerprint, bank]));
      const before = banks;
      const after = next.map((account) => kept.get(fingerprintOf(account)) ?? open(account, options));
      if (after.length === before.length && after.every((bank, index) => bank === before[index])) return;
      banks = after;
      for (const bank of before) if (!banks.includes(bank)) retire(bank);
      for (const listener of listeners) listener();
    },
    onReplaced: (listener) => void listeners.push(listener),
    close: async () => {
      for (const timer of retired.values()) clearTimeout(timer);
      await Promise.all([...banks, ...retired.keys()].map(({ client }) => client.close()));
    },
  };
}

function open(account: BankAccount, { now, onCall, onUnusableFile }: BanksOptions): Open {
  const { id, options, callbackUrl } = account;
  const own = {
    ...(now && { now }),
    ...(onCall && { onCall: (call: PixCall) => onCall(id, call) }),
    ...(onUnusableFile && { onUnusableFile: (error: UnusableFile) => onUnusableFile(id, error) }),
  };
  return {
    id,
    psp: options.profile.psp,
    client: createPixClient({ ...options, ...own }),
    callbackUrl,
    callbackSecret: (fallback) => callbackSecretOf(id, options.clientSecret ?? fallback),
    fingerprint: fingerprintOf(account),
    timeoutMs: options.timeoutMs ?? longestMs,
  };
}

/** The client's own limit. */
const longestMs = 5_000;

/** Two accounts with the same fingerprint are the same. */
const fingerprintOf = (account: BankAccount): string => JSON.stringify(account);
