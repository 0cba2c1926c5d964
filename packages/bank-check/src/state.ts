import type { PixClient } from '@payments/pix/client';
import type { TlsMaterial } from '@payments/pix/tls-files';
import type { PixClientOptions } from '@payments/pix/types';
import type { Paid } from './paid.ts';
import type { CheckSettings } from './settings.ts';

export type CheckOptions = {
  /** The id of the bank in BANKS_FILE. */
  bank?: string | undefined;
  /** Also pays: a real Pix of one centavo is awaited, seen and given back. */
  pay: boolean;
  /** How long the Pix is awaited. */
  payWithinMs: number;
  /** The most that the charge's removal may take, and the same for the refund. */
  endWithinMs: number;
  /** Ends the check early. The end steps still run. */
  signal: AbortSignal;
  now: () => Date;
  print: (line: string) => void;
};

/** Findings of earlier steps, for later ones. */
export type State = CheckOptions & {
  bank: string;
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
  /** A charge that the bank may have, even if it did not answer the registration. */
  openTxid?: string;
  charge?: { txid: string; code: string };
  /** The store's id that was written into the charge, and the one that the bank shows. */
  mark?: { sent: string; shown: string | null };
  paid?: Paid | undefined;
  /** Our certificate, for the bank's support. */
  ours?: string;
};

/** @returns what to print after the tick; null for a step that does not apply. @throws CheckFailed, and the client's errors */
export type Step = {
  name: string;
  advice: string;
  /** No further step is tried after its failure. */
  isGate?: boolean;
  run(state: State): Promise<string | null>;
};
