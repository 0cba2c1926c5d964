import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isTestBank } from '@payments/domain/route-charge';
import type { SimulatorOptions } from '@payments/pix-simulator/app';
import { basePaths } from '@payments/pix-simulator/banks/all';
import { type Bank, startBank } from './bank.ts';

export type WantedBank = { id: string } & SimulatorOptions;

/** Several simulated banks, and the file that names them. */
export type SeveralBanks = {
  /** In order of preference. */
  banks: readonly (Bank & { id: string })[];
  at(id: string): Bank;
  /**
   * Writes a BANKS_FILE of them.
   * @param addresses other addresses of banks, as behind a proxy
   */
  write(addresses?: Record<string, string>): string;
  close(): Promise<void>;
};

/** Starts one simulated bank of each. Their credentials differ: what is meant for one is refused by another. */
export async function startBanks(wanted: readonly WantedBank[]): Promise<SeveralBanks> {
  const folder = mkdtempSync(join(tmpdir(), 'banks-'));
  const start = async (one: WantedBank) => ({
    id: one.id,
    ...(await startBank({ ...credentialsOf(one.id), ...one })),
  });
  const banks = await Promise.all(wanted.map(start));
  let files = 0;
  return {
    banks,
    at: (id) => banks.find((bank) => bank.id === id)!,
    write: (addresses = {}) => {
      files += 1;
      const file = join(folder, `banks-${files}.json`);
      const entries = wanted.map((one, index) => entryOf(one, addresses[one.id] ?? banks[index]!.url));
      writeFileSync(file, JSON.stringify({ banks: entries }));
      return file;
    },
    close: async () => {
      rmSync(folder, { recursive: true, force: true });
      await Promise.all(banks.map((bank) => bank.close()));
    },
  };
}

export const credentialsOf = (id: string) => ({
  clientId: `client-${id}`,
  clientSecret: `secret-${id}`,
  key: `${id}@example.com`,
});

/** @returns a bank's entry in a BANKS_FILE; the bank `test` is that of test stores */
export function entryOf({ id, profile = 'bacen' }: WantedBank, address: string) {
  const psp = isTestBank(id) ? id : profile;
  return { id, psp, url: address + basePaths[profile], ...credentialsOf(id), appKey: 'app-key' };
}
