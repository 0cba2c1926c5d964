import { styleText } from 'node:util';

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
const quietMs = 10_000;

type Entry = { level?: string; time?: string; msg?: string; err?: { type?: string; message?: string } };

/**
 * Shows a service's log (JSON lines) on the terminal, one line per entry, from `level` up. A repeated line is shown
 * once in ten seconds; the log file has all of them.
 * @returns a function of a service's name and a log line
 */
export function terminalLog(
  level: string,
  print: (text: string) => void,
): (service: string, line: string) => void {
  const lowest = rank(level);
  const shown = new Map<string, number>();
  return (service, line) => {
    const entry = parse(line);
    if (entry === undefined || rank(entry.level) < lowest) return;
    const text = `${service}: ${entry.msg}${entry.err ? ` (${entry.err.type}: ${entry.err.message})` : ''}`;
    if (Date.now() - (shown.get(text) ?? 0) < quietMs) return;
    shown.set(text, Date.now());
    print(`${entry.time?.slice(11, 19)} ${label(entry.level)} ${text}`);
  };
}

function rank(level = ''): number {
  return levels.includes(level) ? levels.indexOf(level) : levels.length;
}

function label(level = ''): string {
  const color = rank(level) > rank('warn') ? 'red' : rank(level) === rank('warn') ? 'yellow' : 'dim';
  return styleText(color, level.toUpperCase().padEnd(5), { stream: process.stdout });
}

function parse(line: string): Entry | undefined {
  try {
    const entry = JSON.parse(line) as Entry;
    return levels.includes(entry.level ?? '') ? entry : undefined;
  } catch {
    return undefined;
  }
}
