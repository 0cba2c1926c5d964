import { availableParallelism, loadavg } from 'node:os';
import type { Window } from './fault.ts';

const everyMs = 100;
const starvedMs = 400;
// The most runnable tasks per processor. Beyond that, responses wait for other programs.
const loadAtMost = 4;

/**
 * Records times in which this machine is overloaded. Late events in them prove nothing about the system.
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
