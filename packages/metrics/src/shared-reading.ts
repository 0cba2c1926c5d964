import { setTimeout } from 'node:timers/promises';
import { gauge, type Registry } from './registry.ts';

const patienceMs = 1_000;

/**
 * Shares one reading among all its gauges in concurrent scrapes. Another starts only after it has ended.
 * @returns `known`, what was read, undefined if that failed or took longer than a second; and `show`, which makes a gauge
 */
export function sharedReading<Known>(register: Registry, read: () => Promise<Known>) {
  let reading: Promise<Known | undefined> | undefined;
  const end = () => {
    reading = undefined;
  };
  const known = async () => {
    reading ??= read()
      .catch(() => undefined)
      .finally(end);
    return Promise.race([reading, setTimeout(patienceMs, undefined, { ref: false })]);
  };
  const show = (
    name: string,
    help: string,
    of: (known: Known) => number | Record<string, number>,
    label?: string,
  ) => {
    const figure = () => known().then((is) => is && of(is));
    gauge(register, `payments_${name}`, help, figure, label);
  };
  return { known, show };
}

/** @returns the age of what began then, 0 for none */
export function secondsSince(began: Date | null, now: Date): number {
  return began === null ? 0 : Math.max(0, now.getTime() - began.getTime()) / 1_000;
}
