import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** @returns the peak resident memory of a process in MB (Linux) */
export function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1_024;
}

/** @returns a function that returns the idle share of all processors' time since this call */
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
