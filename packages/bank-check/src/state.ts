import type { Charge, PixClient } from '@payments/pix/client';
import { pixSettings } from '@payments/pix/settings';
import type { TlsMaterial } from '@payments/pix/tls-files';
import type { PixClientOptions } from '@payments/pix/types';
import { type Static, Type } from '@sinclair/typebox';

const address = (description: string) =>
  Type.Optional(Type.String({ pattern: '^https?://[^\\s?#]+$', description }));

/** The settings of the check: the bank's, and those that make the callback's address. */
export const checkSettings = Type.Object({
  ...pixSettings,
  PUBLIC_URL: address('Where the bank reaches the API'),
  PIX_CALLBACK_URL: address('The same, where the callback has a host of its own'),
  ADMIN_KEY: Type.Optional(Type.String({ description: 'Part of the address, where the bank has no secret' })),
});

export type CheckSettings = Static<typeof checkSettings>;

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

/** The Pix that paid the charge; `amount` in centavos. */
export type Paid = { endToEndId: string; amount: number };

/** @returns undefined while nobody has paid */
export function paidBy(charge: Charge | null): Paid | undefined {
  const pix = charge?.pix[0];
  return pix && { endToEndId: pix.endToEndId, amount: pix.amount };
}

export function inWords({ amount, endToEndId }: Paid): string {
  return `R$ ${(amount / 100).toFixed(2).replace('.', ',')} as ${endToEndId}`;
}
