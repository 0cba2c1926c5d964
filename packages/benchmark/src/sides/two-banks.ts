import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call } from '@payments/testing/http';
import { createReplica } from '@payments/testing/replica';
import { bankClient, bankOptions } from '@payments/testing/service-settings';
import type { Ground } from '../ground.ts';
import { root } from '../installation.ts';

/** The ground's bank as `well`, and another one, `other`. */
export type TwoBanks = AsyncDisposable & {
  /** The BANKS_FILE. */
  file: string;
  /** Makes `other` hang, or ends that. */
  hang(hangs: boolean): Promise<void>;
};

export async function startTwoBanks(ground: Ground): Promise<TwoBanks> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-banks-'));
  const other = await createReplica({
    name: 'other',
    module: join(root, 'packages/pix-simulator/dist/main.js'),
    env: { ...bankClient, HOST: '127.0.0.1' },
    readyPath: '/health/live',
    logFile: ground.logOf('other-bank'),
  });
  await other.start();
  const otherUrl = `http://127.0.0.1:${other.port}`;
  const entry = (id: string, url: string) => ({ id, psp: 'bacen', url, ...bankOptions });
  const file = join(folder, 'banks.json');
  writeFileSync(file, JSON.stringify({ banks: [entry('well', ground.bankUrl), entry('other', otherUrl)] }));
  return {
    file,
    hang: async (hang) => void (await call(`${otherUrl}/bank/faults`, { body: { hang } })),
    [Symbol.asyncDispose]: async () => {
      await other.terminate();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
