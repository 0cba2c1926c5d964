import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { testBank } from '@payments/domain/route-charge';
import { type BankName, basePaths } from '@payments/pix-simulator/banks/all';
import { StartError } from './start-error.ts';
import { readStartOptions } from './start-options.ts';

/** A simulated bank of `npm start -- --banks`; its id is its name. */
export type SimulatedBank = { id: BankName; port: number };

/**
 * @param args of `npm start --`
 * @returns the names of `--banks` in order of preference; none without it
 * @throws StartError
 */
export function readBankNames(args: readonly string[]): BankName[] {
  const names = readStartOptions(args).banks?.split(',');
  if (names === undefined) return [];
  const unknown = names.find((name) => !Object.hasOwn(basePaths, name));
  if (unknown !== undefined) {
    const all = Object.keys(basePaths).join(', ');
    throw new StartError(
      `--banks: no bank ${unknown || 'without a name'} can be simulated; there are ${all}`,
    );
  }
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new StartError(`--banks: ${twice} stands there twice`);
  return names as BankName[];
}

/** @returns the file that names the simulated banks to the services */
export const simulatedBanksFile = (dataDir: string) => join(dataDir, 'simulated-banks.json');

export type BanksFile = { dataDir: string; banks: readonly SimulatedBank[]; apiPort: number };

/** Writes the file; removes it when the only bank is the one of `PIX_*`. */
export function writeBanksFile({ dataDir, banks, apiPort }: BanksFile): void {
  const file = simulatedBanksFile(dataDir);
  if (banks.length === 0) {
    rmSync(file, { force: true });
    return;
  }
  // Efí's rules allow plain http to this address alone.
  const callbackUrl = `http://127.0.0.1:${apiPort}`;
  const entries = banks.map(({ id, port }) => {
    const url = `http://localhost:${port}${basePaths[id]}`;
    return { id, psp: id, url, ...credentials(id), appKey: 'dev-app-key', callbackUrl };
  });
  writeFileSync(file, `${JSON.stringify({ banks: entries }, undefined, 2)}\n`, { mode: 0o600 });
}

/** @returns the file that names the simulated bank of test stores to the services */
export const testBankFile = (dataDir: string) => join(dataDir, 'test-bank.json');

/** Writes the file, which brings the bank `test` to whatever other banks there are. */
export function writeTestBankFile({ dataDir, port }: { dataDir: string; port: number }): void {
  const entry = { id: testBank, psp: testBank, url: `http://localhost:${port}`, ...credentials(testBank) };
  const text = `${JSON.stringify({ banks: [entry] }, undefined, 2)}\n`;
  writeFileSync(testBankFile(dataDir), text, { mode: 0o600 });
}

/** @returns the environment of its simulator, which nobody else reaches */
export function testSimulatorEnv() {
  const { clientId, clientSecret, key } = credentials(testBank);
  const own = { PIX_CLIENT_ID: clientId, PIX_CLIENT_SECRET: clientSecret, PIX_KEY: key };
  return { PROFILE: 'bacen', TEST_BANK: 'true', ...own };
}

const credentials = (id: BankName | typeof testBank) => ({
  clientId: `dev-client-${id}`,
  clientSecret: `dev-secret-${id}`,
  key: `${id}@loja.example`,
});

/** @returns the same as the simulator's environment */
export function simulatorEnv(id: BankName) {
  const { clientId, clientSecret, key } = credentials(id);
  return { PROFILE: id, PIX_CLIENT_ID: clientId, PIX_CLIENT_SECRET: clientSecret, PIX_KEY: key };
}

const bankUrlsFile = (dataDir: string) => join(dataDir, 'simulated-bank-urls.json');

/** Keeps the addresses of the simulated banks that charge here; none where PIX_URL or BANKS_FILE names others. */
export function keepBankUrls(dataDir: string, urls: readonly string[]): void {
  writeFileSync(bankUrlsFile(dataDir), `${JSON.stringify(urls)}\n`);
}

/**
 * Reads what the last `npm start` on this DATA_DIR wrote. Another terminal may have other variables, so that start alone
 * knows at which banks its services charge.
 * @returns the addresses of its simulated banks; none where it charges at real ones, or never ran
 */
export function readBankUrls(dataDir: string): string[] {
  try {
    return JSON.parse(readFileSync(bankUrlsFile(dataDir), 'utf8'));
  } catch {
    return [];
  }
}
