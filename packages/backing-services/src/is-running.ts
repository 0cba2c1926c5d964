import { readFileSync } from 'node:fs';

/**
 * Whether a process still does anything. One that has ended but whose parent never asked for its exit code, as under
 * a container's first process, counts as gone (Linux).
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  return !['Z', 'X'].includes(processStat(pid)[0] ?? '');
}

/** When a process was started, in a form that tells it from a later one with the same id (Linux; else empty). */
export function startTimeOf(pid: number): string {
  return processStat(pid)[19] ?? '';
}

/** The fields of /proc/<pid>/stat that follow the program's name, which may itself hold spaces. */
function processStat(pid: number): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return [];
  }
}
