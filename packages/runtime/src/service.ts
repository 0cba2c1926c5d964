import type { Logger } from 'pino';
import { closeOnSignals } from './shutdown.ts';

/** A service that is up. `close` takes no more work, finishes what is in flight, then closes connections. */
export type Service = { close(): Promise<void> };

export type StartOptions = {
  /** The clock, if not the machine's. */
  now?: (() => Date) | undefined;
  /** There is no use in waiting any longer: the start rejects. */
  stopping?: AbortSignal;
};

/**
 * Starts a service and closes it on SIGTERM, SIGINT or a fatal error, also while it is still waiting for what it
 * needs: the first process of a container is not ended by a signal that it does not handle.
 * @param graceMs the most that closing may take
 * @param start is told by `stopping` when there is no use in waiting any longer, and may reject then
 * @param last closes what is to outlive all else
 * @throws what `start` does, unless it was told to stop
 */
export async function runService(
  log: Logger,
  graceMs: number,
  start: (options: { stopping: AbortSignal }) => Promise<Service>,
  last: () => Promise<void> = async () => {},
): Promise<void> {
  const stopping = new AbortController();
  const starting = start({ stopping: stopping.signal });
  closeOnSignals(log, graceMs, async () => {
    stopping.abort();
    const service = await starting.catch(() => undefined);
    await service?.close();
    await last();
  });
  await starting.catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
}
