import { type AddressInfo, setDefaultAutoSelectFamilyAttemptTimeout } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import closeWithGrace from 'close-with-grace';
import type { Logger } from 'pino';
import { ConfigurationError } from './environment.ts';
import { flushLog, redact } from './logging.ts';

/** How long one of a name's addresses is tried before the next. Node gives up the first for good. */
export const nextAddressAfterMs = 1_000;

/**
 * Runs a process's entry point. A failed start is one line on standard error and exit code 1. Node's warnings become
 * lines of the same form.
 * @param service the name in log lines
 */
export function main(service: string, start: () => Promise<void>): void {
  // When Node 24 exits, it waits for the threads of V8's compilers Maglev and Sparkplug. One of them may wait for a
  // garbage collection, which the main thread no longer does: the process hangs until it is killed (nodejs/node#54918).
  setFlagsFromString('--no-maglev');
  setFlagsFromString('--no-concurrent-sparkplug');
  const tell = (level: 'warn' | 'fatal', msg: string) => {
    const line = JSON.stringify({ level, time: new Date().toISOString(), service, msg });
    process.stderr.write(`${redact(line)}\n`);
  };
  // A full disk can't be told of it.
  process.stderr.on('error', () => {});
  // Node's own 250 ms are less than the way to a distant server takes, or a pause of this process at its start.
  setDefaultAutoSelectFamilyAttemptTimeout(nextAddressAfterMs);
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => tell('warn', `${name}: ${message}`));
  start().catch((error: unknown) => {
    tell('fatal', describe(error));
    process.exit(1);
  });
}

const noSuchHost = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EADDRNOTAVAIL', 'EINVAL']);

function describe(error: unknown): string {
  if (error instanceof ConfigurationError) return `configuration: ${error.message}`;
  const { code = '', port, address, syscall } = error as Partial<NodeJS.ErrnoException & AddressInfo>;
  if (code === 'EADDRINUSE') return `port ${port} on ${address} is already in use`;
  if (noSuchHost.has(code) && (syscall === 'listen' || syscall === 'getaddrinfo'))
    return `configuration: HOST is no address of this machine (${code})`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

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
    // A line written at exit could overtake a line in flight.
    await flushLog(log);
  });
}
