import { createHmac } from 'node:crypto';
import type { PixClient } from '@payments/pix/client';
import { type Loop, startLoop } from '@payments/runtime/loop';
import type { Logger } from 'pino';

const retryMs = 5_000;

/** @returns the secret part of the callback's path, derived so that all replicas have the same */
export function callbackSecretOf(clientSecret: string): string {
  return createHmac('sha256', clientSecret).update('pix-callback').digest('base64url');
}

/** Registers the callback's address at the PSP unless it is registered. Retries until it succeeds. */
export function registerCallback(pix: PixClient, url: string, log: Logger): Loop {
  let registered = false;
  return startLoop({
    intervalMs: retryMs,
    turn: async () => {
      if (registered) return false;
      if ((await pix.getCallback()) !== url) await pix.registerCallback(url);
      registered = true;
      log.info('the PSP reports Pix to this service');
      return false;
    },
    onError: (error) =>
      log.warn({ err: error }, 'the callback could not be registered at the PSP; trying again'),
  });
}
