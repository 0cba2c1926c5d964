import { readdirSync, readFileSync } from 'node:fs';

/** CPU seconds by name. */
export type CpuUsage = Record<string, number>;

// Linux counts a process's time in hundredths of a second, whatever the kernel was built with.
const ticksPerSecond = 100;

/** @returns user and system time of a process so far, in seconds; `withEnded`: and of those it started that ended */
export function cpuSeconds(pid: number, withEnded = false): number {
  const stat = readProc(pid, 'stat');
  // The second field is the program's name in parentheses, which may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user, system, endedUser, endedSystem] = fields.slice(11, 15).map(Number);
  const own = (user ?? 0) + (system ?? 0);
  const ended = (endedUser ?? 0) + (endedSystem ?? 0);
  return (own + (withEnded ? ended : 0)) / ticksPerSecond;
}

/** @returns the most that a process had resident so far, in MB */
export function peakMb(pid: number): number {
  return kilobytes(pid, 'VmHWM') / 1_024;
}

/** @returns what a process has resident now, in MB */
export function residentMb(pid: number): number {
  return kilobytes(pid, 'VmRSS') / 1_024;
}

export function childrenOf(pid: number): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger);
  return pids.filter(
    (candidate) => Number(/^PPid:\s+(\d+)/m.exec(readProc(candidate, 'status'))?.[1]) === pid,
  );
}

export function programOf(pid: number): string {
  return readProc(pid, 'comm').trim();
}

/**
 * @param postmaster PostgreSQL's first process
 * @param database whose backends count apart from everything else
 */
export function postgresUsage(postmaster: number, database: string): CpuUsage {
  let backends = 0;
  let rest = cpuSeconds(postmaster, true);
  for (const pid of childrenOf(postmaster)) {
    const isBackend = readProc(pid, 'cmdline').includes(` ${database} `);
    if (isBackend) backends += cpuSeconds(pid);
    else rest += cpuSeconds(pid);
  }
  return { 'PostgreSQL backends': backends, 'PostgreSQL rest': rest };
}

function kilobytes(pid: number, field: string): number {
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readProc(pid, 'status'))?.[1] ?? Number.NaN);
}

/** @returns nothing of a process that has ended meanwhile */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
