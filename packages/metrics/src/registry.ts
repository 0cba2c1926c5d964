import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export type { Registry } from 'prom-client';

/** How often a timer looks at the event loop. By default a hundred times a second, much of what an idle process took. */
export const loopPrecisionMs = 100;

/** @returns a process's metrics, with memory, CPU, event loop lag and garbage collection */
export function createRegistry(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register, eventLoopMonitoringPrecision: loopPrecisionMs });
  return register;
}

/** Buckets in seconds, for fast work in memory up to slow calls of a bank. */
export const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Reading = number | Record<string, number> | undefined;

/**
 * A gauge that is read at each scrape.
 * @param read returns undefined to show no value instead of an outdated one
 * @param label splits it: `read` returns a number for each of its few values
 */
export function gauge(
  register: Registry,
  name: string,
  help: string,
  read: () => Reading | Promise<Reading>,
  label?: string,
): void {
  new Gauge({
    name,
    help,
    labelNames: label ? [label] : [],
    registers: [register],
    async collect() {
      const reading = await read();
      this.reset();
      if (label)
        for (const [value, count] of Object.entries(reading ?? {})) this.set({ [label]: value }, count);
      else if (reading === undefined) this.remove();
      else this.set(Number(reading));
    },
  });
}
