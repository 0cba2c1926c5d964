import type { PixClient } from '@payments/pix/client';
import type { TlsMaterial } from '@payments/pix/tls-files';
import type { PixClientOptions } from '@payments/pix/types';
import type { Paid } from './paid.ts';
import type { CheckSettings } from './settings.ts';

export type CheckOptions = {
  /** Also pays: a real Pix of one centavo is awaited, seen and given back. */
  pay: boolean;
  /** How long the Pix is awaited. */
  payWithinMs: number;
  /** How long the charge's removal may take, and how long the refund. */
  endWithinMs: number;
  /** Ends the check early: what it left at the bank is still removed or given back. */
  signal: AbortSignal;
  now: () => Date;
  print: (line: string) => void;
};

/** The findings of each step, for the steps behind it. */
export type State = CheckOptions & {
  settings: CheckSettings;
  options: PixClientOptions;
  tokenUrl: string;
  tls: TlsMaterial;
  client: PixClient;
  /** Texts that must not be printed. */
  secrets: string[];
  /** The bank's clock in its last answer. */
  bankTime?: Date;
  grantedScopes?: string[];
  /** The charge that the bank may have, also when it did not answer. */
  openTxid?: string;
  charge?: { txid: string; code: string | null };
  paid?: Paid | undefined;
  /** Who is who on the connection, for the bank's support. */
  ours?: string;
};

/** @returns what to print after the tick; null for a step that does not apply. @throws CheckFailed, and the client's errors */
export type Step = {
  name: string;
  advice: string;
  /** After its failure nothing else is tried. */
  isGate?: boolean;
  run(state: State): Promise<string | null>;
};
