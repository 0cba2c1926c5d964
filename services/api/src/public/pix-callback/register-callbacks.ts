import type { Bank, OpenBanks } from '@payments/pix/banks';
import { callbackUrlOf } from '@payments/pix/callback-address';
import type { Loop } from '@payments/runtime/loop';
import type { Logger } from 'pino';
import { registerCallback } from './registration.ts';

export type CallbackAddresses = { publicUrl: string; adminKey: string };

/** Tells each configured bank where to report Pix, also one that is configured later. */
export function registerCallbacks(
  banks: OpenBanks,
  { publicUrl, adminKey }: CallbackAddresses,
  log: Logger,
): { stop(): Promise<void> } {
  const running = new Map<Bank, Loop>();
  const ending: Promise<void>[] = [];
  const end = (bank: Bank, loop: Loop) => {
    running.delete(bank);
    ending.push(loop.stop());
  };
  const start = (bank: Bank): Loop => {
    const url = callbackUrlOf(bank.callbackUrl ?? publicUrl, bank.callbackSecret(adminKey));
    return registerCallback(bank.client, url, log.child({ bank: bank.id }));
  };
  const follow = () => {
    for (const [bank, loop] of running) if (!banks.all().includes(bank)) end(bank, loop);
    for (const bank of banks.all()) if (!running.has(bank)) running.set(bank, start(bank));
  };
  follow();
  banks.onReplaced(follow);
  return {
    stop: async () => {
      for (const [bank, loop] of running) end(bank, loop);
      await Promise.all(ending);
    },
  };
}
