import { readBankWaits } from '@payments/database/banks/bank-work';
import { recordBanks, showFailing } from '@payments/database/banks/banks';
import type { Database } from '@payments/database/connection';
import { hasTestStores } from '@payments/database/stores/stores';
import { newId, txidOf } from '@payments/domain/identifiers';
import { testBank } from '@payments/domain/route-charge';
import { type BankSettings, readBanks } from '@payments/pix/bank-settings';
import type { Bank, OpenBanks } from '@payments/pix/banks';
import { failureWithin } from '@payments/pix/breaker';
import { ConfigurationError } from '@payments/runtime/environment';
import { startLoop } from '@payments/runtime/loop';
import type { Logger } from 'pino';
import { waitForDatabase } from './wait-for-database.ts';

export type WatchedBanks = {
  db: Database;
  banks: OpenBanks;
  settings: BankSettings;
  /** The longest that an operation at a bank may take. */
  timeoutMs: number;
  log: Logger;
  now: () => Date;
  /** The time between two looks. */
  everyMs?: number;
  /** Ends the wait for a database that was lost since the start began. */
  stopping?: AbortSignal | undefined;
};

const usualMs = 2_000;
const readingMs = 5_000;
const failingForMs = 15_000;

/**
 * Follows the banks while a service runs: a changed file is taken up whole or not at all, a failing bank is shown to
 * every process, and is asked whether it is back even when nobody else asks.
 */
export async function watchBanks(watched: WatchedBanks): Promise<{ stop(): Promise<void> }> {
  let recorded: readonly Bank[] | undefined;
  let refused: string | undefined;
  const takeUp = async () => {
    refused = replaceBanks(watched, refused);
    const current = watched.banks.all();
    if (current === recorded) return;
    await recordConfigured(watched);
    recorded = current;
  };
  await waitForDatabase(takeUp, watched.log, { stopping: watched.stopping });
  return startLoop({
    intervalMs: watched.everyMs ?? usualMs,
    turn: async () => {
      await takeUp();
      await Promise.all(watched.banks.all().map((bank) => look(watched, bank)));
      return false;
    },
    onError: (error) => watched.log.warn({ err: error }, 'the state of the banks was not recorded'),
  });
}

/** Also says which banks are configured no more and have open work: it waits. */
async function recordConfigured({ db, banks, log, now }: WatchedBanks): Promise<void> {
  await recordBanks(db, banks.all(), now());
  const waits = await readBankWaits(db, readingMs);
  const gone = waits.filter(({ id, isOpen }) => isOpen && !banks.find(id)).map(({ id }) => id);
  if (gone.length > 0) log.warn({ banks: gone }, 'banks are configured no more; what they have waits');
  if (!banks.find(testBank) && (await hasTestStores(db)))
    log.warn('there are test stores and no bank `test` is configured: their charges wait for their code');
}

/** @returns why the current file was refused, so that it is said once; undefined if it was not */
function replaceBanks(
  { banks, settings, timeoutMs, log }: WatchedBanks,
  refused: string | undefined,
): string | undefined {
  if (settings.BANKS_FILE === undefined && settings.TEST_BANK_FILE === undefined) return undefined;
  try {
    const before = banks.all();
    banks.replace(readBanks(settings, timeoutMs));
    if (banks.all() !== before)
      log.info({ banks: banks.all().map(({ id }) => id) }, 'the banks have changed');
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    if (error.message !== refused) log.error({ reason: error.message }, 'the banks have not changed');
    return error.message;
  }
}

async function look({ db, now }: WatchedBanks, { id, client }: Bank): Promise<void> {
  const { creations, others } = client.breakers;
  // Without new charges nobody learns that a bank takes them again.
  const failure = others.failure() ?? failureWithin(failingForMs, creations, now());
  if (failure) await showFailing(db, { id, ...failure, now: now(), forMs: failingForMs });
  const isInDoubt = creations.state() !== 'closed' || others.state() !== 'closed';
  // A charge that nobody has: that it is missing is an answer, too.
  if (isInDoubt) await client.getCharge(txidOf(newId())).catch(() => null);
}
