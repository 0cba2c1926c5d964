import { setFlagsFromString } from 'node:v8';
import { readEnvironment } from '@payments/runtime/environment';
import { createLogger } from '@payments/runtime/logging';
import { closeOnSignals, main } from '@payments/runtime/main';
import { startTracing } from '@payments/tracing/start';
import type { Static, TObject } from '@sinclair/typebox';
import type { Logger } from 'pino';
import type { SharedSettings } from './settings.ts';

/** A running service. `close` accepts no more work, finishes work in flight, then closes connections. */
export type Service = { close(): Promise<void> };

export type StartOptions = {
  /** The clock, if not PostgreSQL's. */
  now?: (() => Date) | undefined;
  /** The machine's clock in milliseconds since 1970, if not `Date.now`. */
  wallClock?: (() => number) | undefined;
  /** Milliseconds of a monotonic clock by which overload lasts, if not this process's. */
  loadClock?: (() => number) | undefined;
  /** The longest that one PSP operation of the API may take, if not as in production. */
  pixTimeoutMs?: number | undefined;
  /** How long a request waits for the database, if not as in production. */
  databasePatienceMs?: number | undefined;
  /** Aborted when the process must stop while it still waits for something: the start rejects. */
  stopping?: AbortSignal | undefined;
};

export type Start<Settings> = (settings: Settings, log: Logger, options: StartOptions) => Promise<Service>;

/**
 * Runs a service as this process: settings, log, traces, start, and a clean end on SIGTERM, SIGINT or a fatal error. A
 * signal also ends a waiting start, since Node as a container's first process ignores signals by default.
 * @param graceMs the longest that closing may take
 */
export function runService<Schema extends TObject>(
  name: string,
  schema: Schema,
  graceMs: (settings: Static<Schema>) => number,
  start: Start<Static<Schema>>,
): void {
  // A small heap grows by 30 % between full collections by default: two of them a second under load.
  setFlagsFromString('--heap-growing-percent=60');
  main(name, async () => {
    const settings = readEnvironment(schema, process.env) as Static<Schema> & SharedSettings;
    const log = createLogger(name, settings.LOG_LEVEL);
    const stopTracing = await startTracing(`payments-${name}`, settings, (problem) =>
      log.warn({ problem }, 'traces could not be sent'),
    );
    const stopping = new AbortController();
    const starting = start(settings, log, { stopping: stopping.signal });
    closeOnSignals(log, graceMs(settings), async () => {
      stopping.abort();
      const service = await starting.catch(() => undefined);
      await service?.close();
      await stopTracing();
    });
    await starting.catch((error: unknown) => {
      if (!stopping.signal.aborted) throw error;
    });
  });
}
