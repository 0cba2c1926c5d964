import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createReplica, heapFlags, type Replica } from '@payments/testing/replica';
import { credentialsOf, entryOf } from '@payments/testing/several-banks';

/**
 * The simulated banks, in order of preference: of different profiles, and each with credentials of its own. The first
 * one sets a repeated charge anew, so that it loses each answer to it, and the next bank is asked. One that refuses the
 * repetition would show the charge, and nothing would be left of it elsewhere. The last one is that of test stores.
 */
const profiles = [
  { id: 'bb', psp: 'bb' },
  { id: 'efi', psp: 'efi' },
  { id: 'test', psp: 'bacen' },
] as const;

export type BankId = (typeof profiles)[number]['id'];

export const bankIds: readonly BankId[] = profiles.map(({ id }) => id);

/** @returns whether a bank is that of test stores */
export const isTestBank = (id: BankId): boolean => id === 'test';

/** A bank as a process. */
export type AttackedBank = Replica & { id: BankId; url: string };

/** The receiver's name in a code, which tells the banks' codes apart. */
const merchantOf = (id: BankId) => `LOJA ${id.toUpperCase()}`;

/** @returns the bank of a copy-and-paste code */
export function bankOfCode(code: string): BankId | undefined {
  return bankIds.find((id) => code.includes(merchantOf(id)));
}

export type BanksOptions = { module: string; dir: string; onCrash: (line: string) => void };

/** Creates the processes of all banks, without starting them. */
export function createBanks({ module, dir, onCrash }: BanksOptions): Promise<AttackedBank[]> {
  const create = async ({ id, psp }: (typeof profiles)[number]): Promise<AttackedBank> => {
    const { clientId, clientSecret, key } = credentialsOf(id);
    const access = { PIX_CLIENT_ID: clientId, PIX_CLIENT_SECRET: clientSecret, PIX_KEY: key };
    const data = join(dir, `${id}.journal`);
    const replica = await createReplica({
      name: id,
      module,
      env: { ...access, PROFILE: psp, MERCHANT_NAME: merchantOf(id), LOG_LEVEL: 'warn', DATA_FILE: data },
      readyPath: '/health/live',
      nodeArgs: heapFlags,
      onCrash,
    });
    return { ...replica, id, url: `http://127.0.0.1:${replica.port}` };
  };
  return Promise.all(profiles.map(create));
}

/** A process's BANKS_FILE, with the banks at the addresses of its own links. */
export function banksFile(path: string, ports: Record<BankId, number>) {
  const write = (ids: readonly BankId[]) => {
    const banks = profiles
      .filter(({ id }) => ids.includes(id))
      .map(({ id, psp }) => {
        const entry = entryOf({ id, profile: psp }, `http://127.0.0.1:${ports[id]}`);
        return { ...entry, merchantName: merchantOf(id) };
      });
    // A reader finds the old file or the new one, never a part of it.
    writeFileSync(`${path}.next`, JSON.stringify({ banks }));
    renameSync(`${path}.next`, path);
  };
  write(bankIds);
  return { path, write };
}
