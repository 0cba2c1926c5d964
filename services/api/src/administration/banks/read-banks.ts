import {
  type BankAtWork,
  listBanksAtWork,
  readWaiting,
  type Waiting,
} from '@payments/database/banks/bank-work';
import type { KnownBank } from '@payments/database/banks/banks';
import { dayOf, startOf } from '@payments/domain/days';
import { banksOf } from '@payments/domain/route-charge';
import type { Bank } from '@payments/pix/banks';
import type { AdministrationContext } from '../../context.ts';

export type BankState = 'healthy' | 'failing' | 'paused';

/** A bank as people see it; the amount in centavos. */
export type ShownBank = {
  id: string;
  psp: string;
  state: BankState;
  since: Date;
  lastError: string | null;
  /** False if it was once, and what it has waits. */
  isConfigured: boolean;
  isPaused: boolean;
  pausedReason: string | null;
  waiting: number;
  chargesToday: number;
  amountToday: number;
};

/** @returns the configured banks in order of preference, then those that are configured no more and have open work */
export async function readBanks({ db, banks, now }: AdministrationContext): Promise<ShownBank[]> {
  const at = now();
  const [known, waiting] = await Promise.all([listBanksAtWork(db, startOf(dayOf(at))), readWaiting(db)]);
  const configured = banks.all();
  const shown = (bank: BankAtWork) => show(bank, waitingFor(bank.id, waiting, configured), at);
  const listed = configured.flatMap(({ id }) => known.find((bank) => bank.id === id) ?? []);
  const gone = known.filter(({ id, isOpen }) => isOpen && !banks.find(id));
  return [...listed.map(shown), ...gone.map((bank) => ({ ...shown(bank), ...notConfigured(bank) }))];
}

/** @returns how many charges wait that only this bank may take, or could if it was configured */
function waitingFor(id: string, waiting: readonly Waiting[], configured: readonly Bank[]): number {
  return waiting.reduce((sum, { banks, charges }) => {
    const possible = banksOf(banks, configured).map((bank) => bank.id);
    const [only, ...others] = possible.length > 0 ? possible : (banks ?? []);
    return only === id && others.length === 0 ? sum + charges : sum;
  }, 0);
}

function show(bank: BankAtWork, waiting: number, at: Date): ShownBank {
  const { id, psp, lastError, pausedSince, pausedReason, chargesToday, amountToday } = bank;
  const pause = { isPaused: pausedSince !== null, pausedReason };
  const figures = { waiting, chargesToday, amountToday };
  return { id, psp, ...stateOf(bank, at), lastError, isConfigured: true, ...pause, ...figures };
}

function stateOf(bank: KnownBank, at: Date): { state: BankState; since: Date } {
  const { pausedSince, resumedAt, failingSince, failingUntil, knownSince } = bank;
  if (pausedSince) return { state: 'paused', since: pausedSince };
  if (failingSince && failingUntil && failingUntil > at) return { state: 'failing', since: failingSince };
  const began = [knownSince, failingUntil, resumedAt].map((since) => since?.getTime() ?? 0);
  return { state: 'healthy', since: new Date(Math.max(...began)) };
}

const notConfigured = ({ id }: KnownBank) => ({
  state: 'failing' as const,
  isConfigured: false,
  lastError: `${id} is not configured, and what it has waits`,
});
