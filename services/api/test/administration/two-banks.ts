import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBank } from '@payments/testing/bank';
import { call, type HttpAnswer } from '@payments/testing/http';
import { eventually, type SystemOptions, startSystem, type TestSystem } from '@payments/testing/system';
import type { Test } from 'tap';

/** A system with the banks `efi` and `bb`, in this order. */
export type TwoBanks = {
  system: TestSystem;
  /** Asks a bank's own side, as `system.bank` does. */
  bank(id: 'efi' | 'bb', path: string, body: unknown): Promise<HttpAnswer>;
  /** Rewrites the file, and waits until the service has taken it up. */
  configure(...ids: ('efi' | 'bb')[]): Promise<void>;
};

export async function startTwoBanks(t: Test, options: SystemOptions = {}): Promise<TwoBanks> {
  const folder = t.testdir();
  const file = join(folder, 'banks.json');
  const banks = [
    { id: 'efi', ...(await startBank()) },
    { id: 'bb', ...(await startBank()) },
  ];
  const write = (ids: readonly string[]) => {
    const entries = ids.map((id) => {
      const { url } = banks.find((bank) => bank.id === id)!;
      return { id, url, clientId: 'client', clientSecret: 'secret', key: 'pix@example.com' };
    });
    writeFileSync(`${file}.new`, JSON.stringify({ banks: entries }));
    renameSync(`${file}.new`, file);
  };
  write(['efi', 'bb']);
  const system = await startSystem({ ...options, env: { BANKS_FILE: file, ...options.env } });
  t.teardown(async () => {
    await system.stop();
    await Promise.all(banks.map((bank) => bank.close()));
  });
  const isTakenUp = async (ids: readonly string[]) => {
    const body = { name: 'Loja', banks: ['nobody'] };
    const { message } = (await system.admin('/admin/stores', { body })).body;
    return message === `banks must be one of the following values: ${ids.join(', ')}`;
  };
  return {
    system,
    bank: (id, path, body) => call(banks.find((bank) => bank.id === id)!.url + path, { body }),
    configure: async (...ids) => {
      write(ids);
      await eventually(`${ids} to be taken up`, async () => (await isTakenUp(ids)) || undefined);
    },
  };
}
