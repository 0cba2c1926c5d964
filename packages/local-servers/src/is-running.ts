import { readFileSync } from 'node:fs';

/** @returns whether a process is running. A zombie, whose parent has not read its exit code, counts as ended (Linux) */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !['Z', 'X'].includes(processStat(pid)[0] ?? '');
}

/** @returns a process's start time, which tells it from a later one with the same id (Linux; else empty) */
export function startTimeOf(pid: number): string {
  return processStat(pid)[19] ?? '';
}

/** @returns the fields of /proc/<pid>/stat after the program's name, which may hold spaces */
function processStat(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
