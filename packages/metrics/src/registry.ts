import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export type { Registry } from 'prom-client';

/** @returns a process's metrics, with memory, CPU, event loop lag and garbage collection */
export function createRegistry(): Registry {
  const register = new Registry();
  collectDefaultMetrics({ register });
  return register;
}

/** Buckets in seconds, for fast work in memory up to slow calls of a bank. */
export const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * A gauge that is read at each scrape.
 * @param read returns undefined to show no value instead of an outdated one
 */
export function gauge(
  register: Registry,
  name: string,
  help: string,
  read: () => number | undefined | Promise<number | undefined>,
): void {
  new Gauge({
    name,
    help,
    registers: [register],
    async collect() {
      const value = await read();
      if (value === undefined) this.remove();
      else this.set(value);
    },
  });
}

/** Does the same, split by a label with few values. */
export function gaugeBy(
  register: Registry,
  { name, help, label }: { name: string; help: string; label: string },
  read: () => Record<string, number> | undefined | Promise<Record<string, number> | undefined>,
): void {
  new Gauge({
    name,
    help,
    labelNames: [label],
    registers: [register],
    async collect() {
      const values = await read();
      this.reset();
      for (const [value, count] of Object.entries(values ?? {})) this.set({ [label]: value }, count);
    },
  });
}
