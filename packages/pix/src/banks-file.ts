import { dirname, resolve } from 'node:path';
import { isTestBank, testBank } from '@payments/domain/route-charge';
import { withoutEndSlashes } from '@payments/runtime/addresses';
import { ConfigurationError } from '@payments/runtime/environment';
import { contentOf, readBankEntry, settingsOf, wrongFile } from './bank-entry.ts';
import type { BankAccount } from './banks.ts';
import { isObject, parseJson } from './json.ts';
import { isSameKey } from './keys.ts';

const idForm = /^[a-z0-9][a-z0-9-]{0,31}$/;

/**
 * @param path of a JSON file, `{"banks": [{"id", "psp", "clientId", …}]}` in order of preference. Relative paths in it
 * start at its folder
 * @throws ConfigurationError with one line that names the bank and the field
 */
export function readBanksFile(path: string, timeoutMs: number): BankAccount[] {
  const entries = bankEntries(path);
  for (const [index, { id }] of entries.entries()) {
    if (typeof id !== 'string' || !idForm.test(id))
      throw wrongFile(`bank ${index + 1}: id must be 1 to 32 small letters, digits and hyphens`);
    if (entries.findIndex((other) => other.id === id) < index)
      throw wrongFile(`bank ${id}: id stands there twice`);
  }
  const folder = dirname(resolve(path));
  const accounts = entries.map((entry) => readBankEntry(entry, folder, timeoutMs));
  refuseTwice(accounts);
  return accounts;
}

/**
 * @param path of a file like the above, of the bank `test` alone
 * @throws ConfigurationError with one line that names TEST_BANK_FILE, the bank and the field
 */
export function readTestBankFile(path: string, timeoutMs: number): BankAccount {
  try {
    const [account, ...others] = readBanksFile(path, timeoutMs);
    if (!account || !isTestBank(account.id) || others.length > 0)
      throw wrongFile(`banks must be the bank ${testBank} alone`);
    return account;
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw new ConfigurationError(error.message.replace('BANKS_FILE', 'TEST_BANK_FILE'));
  }
}

/**
 * Two entries that reach one account would each take the other's Pix for a second one, and refund it. Only the key
 * of a Pix tells them apart. No other entry reaches the bank of test stores, under no credentials.
 */
export function refuseTwice(accounts: readonly BankAccount[]): void {
  const tests = accounts.find(({ id }) => isTestBank(id));
  const mistaken = accounts.find(
    ({ id, options }) => tests && id !== tests.id && hostOf(options.url) === hostOf(tests.options.url),
  );
  if (mistaken) throw wrongFile(`bank ${mistaken.id}: the address is that of the bank ${testBank}`);
  for (const [index, account] of accounts.entries()) {
    const twin = accounts.slice(0, index).find((earlier) => isOneAccount(earlier, account));
    if (twin && isSameKey(twin.options.key, account.options.key))
      throw wrongFile(
        `bank ${account.id}: the address, client and key are bank ${twin.id}'s; of one account, each entry needs a key of its own`,
      );
  }
}

function isOneAccount({ options: one }: BankAccount, { options: other }: BankAccount): boolean {
  const isSameAddress = addressOf(one.url) === addressOf(other.url);
  return isSameAddress && one.clientId === other.clientId && one.account === other.account;
}

const hostOf = (url: string) => new URL(url).host;

/** The URL parser writes hosts in small letters and leaves default ports out. */
const addressOf = (url: string) => withoutEndSlashes(new URL(url).href);

function bankEntries(path: string): Record<string, unknown>[] {
  // The parser's own message may show a secret.
  const file = parseJson(contentOf(path, 'the file'));
  if (!isObject(file)) throw wrongFile('the file must be a JSON object');
  const { banks } = file;
  if (!Array.isArray(banks) || banks.length === 0)
    throw wrongFile('banks must be a list of at least one bank');
  const index = banks.findIndex((entry) => !isObject(entry));
  if (index !== -1) throw wrongFile(`bank ${index + 1} must be an object`);
  return banks;
}

/**
 * Reads one bank of the file of `readBanksFile`.
 * @returns its fields as `PIX_*` settings
 */
export function bankAsSettings(path: string, id: string): Record<string, string> | undefined {
  const entry = bankEntries(path).find((one) => one.id === id);
  return entry && settingsOf(entry, dirname(resolve(path)));
}
