import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';

/** @returns the peak resident memory of a process in MB (Linux) */
export function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1_024;
}

/** @returns the memory that a process has resident now, in MB (Linux) */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_024;
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

// A clock tick of Linux' accounts is 10 ms on every platform that Node supports.
const tickMs = 10;

/**
 * @returns the processor time that a process and its children have used so far, in milliseconds, those that ended too
 * (Linux)
 */
export function cpuMs(pid: number): number {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => usedBy(Number(name)) ?? []);
  return all
    .filter((one) => one.pid === pid || one.parent === pid)
    .reduce((sum, { ticks }) => sum + ticks * tickMs, 0);
}

/** @returns undefined if the process has ended */
function usedBy(pid: number): { pid: number; parent: number; ticks: number } | undefined {
  try {
    // The name of the program, which may hold spaces, ends with the last bracket.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [own, ended] = [fields[11]! + fields[12]!, fields[13]! + fields[14]!];
    return { pid, parent: fields[1]!, ticks: own + ended };
  } catch {
    return undefined;
  }
}
