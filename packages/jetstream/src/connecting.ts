import { setTimeout } from 'node:timers/promises';
import { type ConnectionOptions, connect, type NatsConnection } from 'nats';
import type { Logger } from 'pino';
import { serverOptions } from './servers.ts';

const retryMs = 500;

type Server = { url: string; caFile: string | undefined; name: string };

const optionsOf = ({ url, caFile, name }: Server): ConnectionOptions => ({
  ...serverOptions(url, caFile),
  name,
  timeout: 5_000,
  maxReconnectAttempts: -1,
  // Without it the client gives up for good after two refusals, for example while a server loads its users.
  ignoreAuthErrorAbort: true,
  reconnectTimeWait: retryMs,
  pingInterval: 10_000,
  maxPingOut: 2,
});

/**
 * Connects, and retries until NATS is up. The client's own waiting can't be stopped, and gives up after a refusal.
 * @returns undefined if it was stopped before
 */
export async function connectOnceThere(
  server: Server,
  log: Logger,
  stopping: AbortSignal,
): Promise<NatsConnection | undefined> {
  let told: string | undefined;
  while (!stopping.aborted) {
    try {
      return await connect(optionsOf(server));
    } catch (error) {
      const { code } = error as { code?: string };
      if (code !== told) log.warn({ err: error }, 'NATS can’t be reached; trying on');
      told = code;
      await setTimeout(retryMs, undefined, { signal: stopping }).catch(() => {});
    }
  }
  return undefined;
}
