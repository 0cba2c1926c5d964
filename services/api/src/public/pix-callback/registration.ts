import type { Bank, OpenBanks } from '@payments/pix/banks';
import { callbackUrlOf } from '@payments/pix/callback';
import type { PixClient } from '@payments/pix/client';
import { PixRefused, PixUnavailable } from '@payments/pix/errors';
import { type Loop, startLoop } from '@payments/runtime/loop';
import type { Logger } from 'pino';

type CallbackAddresses = { publicUrl: string; adminKey: string };

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

const pauses = { firstMs: 5_000, longestMs: 60 * 60_000 };

type RegistrationOptions = {
  /** Milliseconds. */
  pauses?: { firstMs: number; longestMs: number };
};

/**
 * Tells the bank where to report Pix, unless it knows; tries until it has succeeded once, with growing pauses: a bank
 * that wants something else of the address will not change its mind in seconds.
 */
export function registerCallback(
  pix: PixClient,
  url: string,
  log: Logger,
  { pauses: { firstMs, longestMs } = pauses }: RegistrationOptions = {},
): Loop {
  let nextAt: number | undefined = 0;
  let pauseMs = firstMs;
  return startLoop({
    intervalMs: firstMs,
    turn: async () => {
      if (nextAt === undefined || performance.now() < nextAt) return false;
      nextAt = performance.now() + pauseMs;
      pauseMs = Math.min(pauseMs * 2, longestMs);
      if ((await registered(pix)) !== url) await pix.registerCallback(url);
      nextAt = undefined;
      log.info('the PSP reports Pix to this service');
      return false;
    },
    onError: (error) => log.warn({ err: error, retryInMs: pauseMs / 2 }, whyNot(error)),
  });
}

const unreadable: readonly string[] = ['wrong-address', 'unreadable'];

/** An address that can't be read may be written all the same. */
async function registered(pix: PixClient): Promise<string | null> {
  return pix.getCallback().catch((error: unknown) => {
    if (error instanceof PixRefused && error.operation === 'getCallback') return null;
    // Banks say in words of their own that there is none.
    if (error instanceof PixUnavailable && unreadable.includes(error.reason)) return null;
    throw error;
  });
}

function whyNot(error: unknown): string {
  const wish = error instanceof PixRefused && error.detail ? `; the PSP says: ${error.detail}` : '';
  return `the callback could not be registered at the PSP${wish}; trying again`;
}
