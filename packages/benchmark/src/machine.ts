import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** @returns the most that a process had resident so far, in MB (Linux) */
export function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1_024;
}

/** @returns a function that tells which share of all processors' time was idle since */
export function watchIdle(): () => number {
  const read = () => {
    const times = cpus().map(({ times }) => times);
    const all = times.flatMap((one) => Object.values(one)).reduce((sum, ms) => sum + ms, 0);
    return { all, idle: times.reduce((sum, { idle }) => sum + idle, 0) };
  };
  const before = read();
  return () => {
    const after = read();
    return (after.idle - before.idle) / (after.all - before.all);
  };
}
