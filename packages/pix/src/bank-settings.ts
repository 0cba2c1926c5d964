import { isTestBank } from '@payments/domain/route-charge';
import { ConfigurationError } from '@payments/runtime/environment';
import { type Static, type TObject, Type } from '@sinclair/typebox';
import { bankAccount } from './bank-entry.ts';
import type { BankAccount } from './banks.ts';
import { readBanksFile, readTestBankFile, refuseTwice } from './banks-file.ts';
import { type PixSettings, pixSettings } from './settings.ts';

const { PIX_CLIENT_ID, PIX_KEY } = pixSettings;

/** The banks, for both services: one by `PIX_*`, or a file of several. */
export const bankSettings = {
  BANKS_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'JSON file of several banks in order of preference, in the place of all `PIX_*`; taken up again when it changes',
    }),
  ),
  TEST_BANK_FILE: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        'File like `BANKS_FILE` of the bank `test` alone, the simulated one of test stores, beside the banks of `PIX_*` or `BANKS_FILE`',
    }),
  ),
  ...pixSettings,
  PIX_CLIENT_ID: Type.Optional(PIX_CLIENT_ID),
  PIX_KEY: Type.Optional(PIX_KEY),
};

export type BankSettings = Static<TObject<typeof bankSettings>>;

/** The id of the bank that `PIX_*` describe. */
export const defaultBank = 'default';

/**
 * @param timeoutMs the most that one operation at a bank may take
 * @returns the banks in order of preference
 * @throws ConfigurationError that names the variable, or the bank and its field
 */
export function readBanks(settings: BankSettings, timeoutMs: number): BankAccount[] {
  const accounts = readRealBanks(settings, timeoutMs);
  const { TEST_BANK_FILE: file } = settings;
  if (file === undefined || accounts.some(({ id }) => isTestBank(id))) return accounts;
  const all = [...accounts, readTestBankFile(file, timeoutMs)];
  refuseTwice(all);
  return all;
}

/** A file of several may have the bank of test stores among them. */
function readRealBanks(settings: BankSettings, timeoutMs: number): BankAccount[] {
  if (settings.BANKS_FILE !== undefined) return readBanksFile(settings.BANKS_FILE, timeoutMs);
  for (const name of ['PIX_CLIENT_ID', 'PIX_KEY'] as const)
    if (settings[name] === undefined) throw new ConfigurationError(`${name} is required`);
  return [bankAccount(defaultBank, settings as PixSettings, timeoutMs)];
}
