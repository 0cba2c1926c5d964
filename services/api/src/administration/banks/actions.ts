import {
  type BankAtWork,
  listBanksAtWork,
  readWaiting,
  type Waiting,
} from '@payments/database/banks/bank-work';
import { endPause, type KnownBank, listKnownBanks, startPause } from '@payments/database/banks/banks';
import type { Queryable } from '@payments/database/connection';
import { type Author, recordChange } from '@payments/database/record/changes';
import type { KindFilter } from '@payments/database/stores/kinds';
import { inTransaction } from '@payments/database/transaction';
import type { BankError } from '@payments/domain/bank-error';
import { dayOf, startOf } from '@payments/domain/days';
import { may } from '@payments/domain/roles';
import { banksOf, isTestBank, testBank } from '@payments/domain/route-charge';
import type { Bank } from '@payments/pix/banks';
import type { Actor } from '../../access/actor.ts';
import type { AdministrationContext } from '../../context.ts';
import { rules, wrongField } from '../../http/errors/api-error.ts';
import { errors } from '../../http/errors/errors.ts';
import { isBlank, isUnstorable, readOneOf } from '../../http/readers.ts';

/** Actions on banks: see how they work, pause and resume them, filter by them. */

export type BankState = 'healthy' | 'failing' | 'paused';

/** A bank as people see it; the amount in centavos. */
export type ShownBank = {
  id: string;
  psp: string;
  state: BankState;
  since: Date;
  lastError: BankError | null;
  /** False if it was once, and what it has waits. */
  isConfigured: boolean;
  pausedSince: Date | null;
  pausedReason: string | null;
  lastPausedAt: Date | null;
  waiting: number;
  chargesToday: number;
  amountToday: number;
};

/**
 * @returns the configured banks of the kind in order of preference, then those that are configured no more and have open
 * work
 */
export async function readBanks(
  { db, banks, now }: AdministrationContext,
  { test }: KindFilter,
): Promise<ShownBank[]> {
  const at = now();
  const [all, waiting] = await Promise.all([listBanksAtWork(db, startOf(dayOf(at))), readWaiting(db)]);
  const known = all.filter(({ id }) => test === undefined || isTestBank(id) === test);
  const configured = banks.all();
  const shown = (bank: BankAtWork) => show(bank, waitingFor(bank.id, waiting, configured), at);
  const listed = configured.flatMap(({ id }) => known.find((bank) => bank.id === id) ?? []);
  const gone = known.filter(({ id, isOpen }) => isOpen && !banks.find(id));
  return [...listed.map(shown), ...gone.map((bank) => ({ ...shown(bank), ...notConfigured }))];
}

/** @returns how many charges wait that only this bank may take, or could if it was configured */
function waitingFor(id: string, waiting: readonly Waiting[], configured: readonly Bank[]): number {
  return waiting.reduce((sum, { test, banks, charges }) => {
    const possible = banksOf({ test, banks }, configured).map((bank) => bank.id);
    const wanted = test ? [testBank] : (banks ?? []);
    const [only, ...others] = possible.length > 0 ? possible : wanted;
    return only === id && others.length === 0 ? sum + charges : sum;
  }, 0);
}

function show(bank: BankAtWork, waiting: number, at: Date): ShownBank {
  const { id, psp, lastError, pausedSince, pausedReason, lastPausedAt, chargesToday, amountToday } = bank;
  const pause = { pausedSince, pausedReason, lastPausedAt };
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

const notConfigured = { state: 'failing' as const, isConfigured: false };

/**
 * Pauses a bank. Each pause is in the record with its reason, also that of a paused bank.
 * @returns whether the bank was not paused before
 * @throws ApiError 400 without a reason, 404 for an unknown bank
 */
export async function pauseBank(
  { db, now }: AdministrationContext,
  id: string,
  by: Author,
): Promise<{ isNew: boolean }> {
  const reason = by.reason?.trim() ?? '';
  if (isBlank(reason)) throw wrongField('reason', rules.notEmpty);
  if (isUnstorable(id)) throw errors.bankNotFound();
  const at = now();
  return inTransaction(db, async (trx) => {
    const paused = await startPause(trx, id, { reason, now: at });
    if (!paused) throw errors.bankNotFound();
    await recordChange(trx, { ...by, reason }, { action: 'bank.paused', at, storeId: null, subject: id });
    return paused;
  });
}

/**
 * @param shown the pause that the person saw, by its name; absent where a program resumes whatever pause there is
 * @returns whether the bank is not paused any more: false if another pause than the shown one holds it
 * @throws ApiError 404 for an unknown bank
 */
export async function resumeBank(
  { db, now }: AdministrationContext,
  id: string,
  by: Author,
  shown?: string,
): Promise<boolean> {
  if (isUnstorable(id)) throw errors.bankNotFound();
  const at = now();
  return inTransaction(db, async (trx) => {
    const outcome = await endPause(trx, id, { shown, now: at });
    if (!outcome) throw errors.bankNotFound();
    if (outcome === 'ended')
      await recordChange(trx, by, { action: 'bank.resumed', at, storeId: null, subject: id });
    return outcome !== 'notAsShown';
  });
}

/** @throws ApiError 400 for a bank that is not configured */
export function readBank({ banks }: Pick<AdministrationContext, 'banks'>, id: unknown): Bank {
  const bank = banks.all().find((one) => one.id === id);
  if (!bank) throw wrongField('bank', rules.oneOf(banks.all().map((one) => one.id)));
  return bank;
}

/**
 * Reads the bank of a filter, which may be configured no more: what it took stays on record.
 * @throws ApiError 400 for a bank that was never configured; it names the others only to roles that may see them
 */
export async function readBankFilter(
  { db }: Pick<AdministrationContext, 'db'>,
  { role }: Pick<Actor, 'role'>,
  { bank }: Record<string, unknown>,
): Promise<{ bank?: string }> {
  if (bank === undefined) return {};
  const known = await everConfigured(db);
  if (!may(role, 'readBanks') && !known.some((id) => id === bank)) throw wrongField('bank', rules.known);
  return { bank: readOneOf('bank', bank, known) };
}

/** @returns the ids of all banks that were ever configured */
export async function everConfigured(db: Queryable): Promise<string[]> {
  return (await listKnownBanks(db)).map(({ id }) => id);
}
