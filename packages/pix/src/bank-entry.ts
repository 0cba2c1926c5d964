import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { testBank } from '@payments/domain/route-charge';
import { ConfigurationError, readEnvironment } from '@payments/runtime/environment';
import { type TSchema, Type } from '@sinclair/typebox';
import type { BankAccount } from './banks.ts';
import { psps } from './profiles/all.ts';
import { type PixSettings, pixOptions, pixSettings } from './settings.ts';

// A file may also have the bank of test stores, which `PIX_*` can't be.
const oneBank = Type.Object({
  ...pixSettings,
  PIX_PSP: Type.Union(
    [...psps, testBank].map((psp) => Type.Literal(psp)),
    { default: 'bacen' },
  ),
});

// A bank's fields are the PIX_* settings in camel case: `clientId` is PIX_CLIENT_ID.
const fieldOf = (setting: string) =>
  setting
    .slice(4)
    .toLowerCase()
    .replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
const settings = new Map(
  Object.entries<TSchema>(pixSettings).map(([name, { type }]) => [fieldOf(name), { name, type }]),
);
/** Secrets may stand in files of their own, as Kubernetes mounts them. */
const secretFiles = new Map([
  ['clientSecretFile', 'clientSecret'],
  ['p12PasswordFile', 'p12Password'],
]);
const certificateFiles: readonly string[] = ['certFile', 'keyFile', 'caFile', 'p12File'];
const flags: readonly string[] = ['allowHttp', 'listLacksTxid'];

export const wrongFile = (what: string) => new ConfigurationError(`BANKS_FILE: ${what}`);

/**
 * @param entry one bank of the file, its id already known to be good
 * @param folder where relative paths in it start
 * @throws ConfigurationError with one line that names the bank and the field
 */
export function readBankEntry(
  entry: Record<string, unknown>,
  folder: string,
  timeoutMs: number,
): BankAccount {
  const values = settingsOf(entry, folder);
  refuseOtherTestBank(String(entry.id), values);
  const read = () => bankAccount(String(entry.id), readEnvironment(oneBank, values), timeoutMs);
  return naming(`bank ${entry.id}`, read);
}

/** Only the simulated bank can be the bank of test stores, and only under its own name (Contract: test stores). */
function refuseOtherTestBank(id: string, { PIX_PSP: psp, PIX_TOKEN_URL: tokenUrl }: Record<string, string>) {
  if ((id === testBank) !== (psp === testBank))
    throw wrongFile(`bank ${id}: psp ${testBank} and id ${testBank} need each other`);
  if (psp === testBank && tokenUrl !== undefined)
    throw wrongFile(`bank ${id}: tokenUrl is the simulated bank's own`);
}

/**
 * @returns a bank's fields as `PIX_*` settings
 * @throws ConfigurationError with one line that names the bank and the field
 */
export function settingsOf(
  { id, ...given }: Record<string, unknown>,
  folder: string,
): Record<string, string> {
  const bank = `bank ${id}`;
  const values: Record<string, string> = {};
  for (const [field, value] of Object.entries(given)) {
    if (value === null) continue;
    const setting = settings.get(secretFiles.get(field) ?? field);
    if (!setting) throw wrongFile(`${bank}: ${JSON.stringify(field)} is no field of a bank`);
    if (setting.name in values)
      throw wrongFile(`${bank}: ${fieldOf(setting.name)} stands there and in a file of its own`);
    values[setting.name] = textOf({ field, value, type: setting.type, bank, folder });
  }
  return values;
}

type Field = { field: string; value: unknown; type: unknown; bank: string; folder: string };

/** @returns the field as its setting would have it */
function textOf({ field, value, type, bank, folder }: Field): string {
  const must = (what: string) => wrongFile(`${bank}: ${field} must be ${what}`);
  if (flags.includes(field)) {
    if (typeof value === 'boolean') return String(value);
    throw must('true or false');
  }
  if (type === 'integer') {
    if (typeof value === 'number') return String(value);
    throw must('a number');
  }
  if (typeof value !== 'string') throw must('a text');
  if (secretFiles.has(field)) return secretIn(resolve(folder, value), `${bank}: ${field}`);
  return certificateFiles.includes(field) ? resolve(folder, value) : value;
}

function secretIn(path: string, what: string): string {
  const secret = contentOf(path, what).trim();
  if (secret === '') throw wrongFile(`${what} is empty`);
  return secret;
}

export function contentOf(path: string, what: string): string {
  try {
    // Editors of Windows put a byte order mark before it.
    return readFileSync(path, 'utf8').replace(/^\uFEFF/, '');
  } catch (error) {
    throw wrongFile(`${what} can't be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** Errors about a setting name the bank and its field. */
function naming<T>(bank: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    throw wrongFile(`${bank}: ${error.message.replace(/PIX_[A-Z0-9_]+/g, fieldOf)}`);
  }
}

/** @throws ConfigurationError that names the `PIX_*` setting */
export function bankAccount(id: string, given: PixSettings, timeoutMs: number): BankAccount {
  return { id, options: pixOptions(given, timeoutMs), callbackUrl: given.PIX_CALLBACK_URL ?? null };
}
