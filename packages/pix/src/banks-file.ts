import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ConfigurationError, readEnvironment } from '@payments/runtime/environment';
import { Type } from '@sinclair/typebox';
import type { BankAccount } from './banks.ts';
import { isObject } from './json.ts';
import { type PixSettings, pixOptions, pixSettings } from './settings.ts';

// A bank's fields are the PIX_* settings in camel case: `clientId` is PIX_CLIENT_ID.
const settingOf = (field: string) => `PIX_${field.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
const fieldOf = (setting: string) =>
  setting
    .slice(4)
    .toLowerCase()
    .replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const oneBank = Type.Object(pixSettings);
const fields = new Set(Object.keys(pixSettings).map(fieldOf));
/** Secrets may stand in files of their own, as Kubernetes mounts them. */
const secretFiles: Record<string, string> = {
  clientSecretFile: 'clientSecret',
  p12PasswordFile: 'p12Password',
};
const certificateFiles: readonly string[] = ['certFile', 'keyFile', 'caFile', 'p12File'];
const idForm = /^[a-z0-9][a-z0-9-]{0,31}$/;

/**
 * @param path of a JSON file, `{"banks": [{"id", "psp", "clientId", …}]}` in order of preference. Relative paths in it
 * start at its folder
 * @throws ConfigurationError with one line that names the bank and the field
 */
export function readBanksFile(path: string, timeoutMs: number): BankAccount[] {
  const entries = bankEntries(path);
  const accounts = entries.map((entry, index) => {
    const name = typeof entry.id === 'string' && idForm.test(entry.id) ? `bank ${entry.id}` : undefined;
    if (!name) throw wrong(`bank ${index + 1}: id must be 1 to 32 small letters, digits and hyphens`);
    return naming(name, () => accountOf(entry, dirname(resolve(path)), timeoutMs));
  });
  const twice = accounts.find(({ id }, index) => accounts.findIndex((other) => other.id === id) !== index);
  if (twice) throw wrong(`bank ${twice.id}: id stands there twice`);
  return accounts;
}

const wrong = (what: string) => new ConfigurationError(`BANKS_FILE: ${what}`);

function bankEntries(path: string): Record<string, unknown>[] {
  const { banks } = parsed(path);
  if (!Array.isArray(banks) || banks.length === 0) throw wrong('banks must be a list of at least one bank');
  const index = banks.findIndex((entry) => !isObject(entry));
  if (index !== -1) throw wrong(`bank ${index + 1} must be an object`);
  return banks;
}

function parsed(path: string): Record<string, unknown> {
  const text = contentOf(path, 'the file');
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // The parser's message may show a secret.
  }
  throw wrong('the file must be a JSON object');
}

function contentOf(path: string, what: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw wrong(`${what} can't be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** Errors about a setting name the bank and its field. */
function naming<T>(bank: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    if (error.message.startsWith('BANKS_FILE')) throw error;
    throw wrong(`${bank}: ${error.message.replace(/PIX_[A-Z0-9_]+/g, fieldOf)}`);
  }
}

/**
 * Reads one bank of a file that `readBanksFile` takes.
 * @returns its fields as `PIX_*` settings
 */
export function bankAsSettings(path: string, id: string): Record<string, string> | undefined {
  const entry = bankEntries(path).find((one) => one.id === id);
  return entry && settingsOf(entry, dirname(resolve(path)));
}

function accountOf(entry: Record<string, unknown>, folder: string, timeoutMs: number): BankAccount {
  return bankAccount(String(entry.id), readEnvironment(oneBank, settingsOf(entry, folder)), timeoutMs);
}

function settingsOf(entry: Record<string, unknown>, folder: string): Record<string, string> {
  const { id, ...given } = entry;
  const values: Record<string, string> = {};
  for (const [field, value] of Object.entries(given)) {
    if (value === null) continue;
    if (!['string', 'number', 'boolean'].includes(typeof value))
      throw wrong(`bank ${id}: ${field} must be a text or a number`);
    const secret = secretFiles[field];
    if (!secret && !fields.has(field)) throw wrong(`bank ${id}: ${field} is no field of a bank`);
    const path = resolve(folder, String(value));
    if (secret) values[settingOf(secret)] = contentOf(path, `bank ${id}: ${field}`).trim();
    else values[settingOf(field)] = certificateFiles.includes(field) ? path : String(value);
  }
  return values;
}

/** @throws ConfigurationError that names the `PIX_*` setting */
export function bankAccount(id: string, settings: PixSettings, timeoutMs: number): BankAccount {
  return { id, options: pixOptions(settings, timeoutMs), callbackUrl: settings.PIX_CALLBACK_URL ?? null };
}
