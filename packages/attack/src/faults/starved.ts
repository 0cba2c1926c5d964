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
  let window: Window | undefined;
  const watch = setInterval(() => {
    const now = Date.now();
    const starved = now - last > starvedMs + everyMs || loadavg()[0]! > loadAtMost * availableParallelism();
    if (!starved) window = undefined;
    else if (window) window.to = now;
    else {
      window = { fault: 'machine-starved', target: 'machine', kind: 'machine', from: last, to: now };
      windows.push(window);
    }
    last = now;
  }, everyMs);
  return () => clearInterval(watch);
}
