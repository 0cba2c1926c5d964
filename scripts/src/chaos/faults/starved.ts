import { availableParallelism, loadavg } from 'node:os';
import type { Window } from './fault.ts';

const everyMs = 100;
const starvedMs = 400;
// So many that want each processor: whoever waits for an answer waits for other people's work.
const loadAtMost = 4;

/**
 * Notices when this machine has no time for us: then it has none for the system either, and what is late says nothing.
 * @returns a function that ends the watch
 */
export function watchMachine(windows: Window[]): () => void {
  let last = Date.now();
  const watch = setInterval(() => {
    const now = Date.now();
    if (now - last > starvedMs + everyMs || loadavg()[0]! > loadAtMost * availableParallelism())
      windows.push({ fault: 'machine-starved', target: 'machine', kind: 'machine', from: last, to: now });
    last = now;
  }, everyMs);
  return () => clearInterval(watch);
}
