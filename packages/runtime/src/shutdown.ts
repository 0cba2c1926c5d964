import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';

/**
 * On SIGTERM, SIGINT or a fatal error: closes everything once, within `graceMs`, then ends the process.
 * @param close stops taking work, finishes what is in flight, then closes connections
 */
export function closeOnSignals(log: Logger, graceMs: number, close: () => Promise<void>): void {
  closeWithGrace({ delay: graceMs, logger: false }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'stopping after a fatal error');
    else log.info({ signal }, 'stopping');
    await close();
    log.info('stopped');
    // A line written at exit could overtake a line in flight. The first flush waits for the current write, the second
    // for the lines that queued meanwhile.
    for (let flushed = 0; flushed < 2; flushed += 1)
      await new Promise<void>((resolve) => log.flush(() => resolve()));
  });
}
