import { redact } from './redact.ts';

/** @returns one log line, for the moments without a logger */
export function logLine(service: string, level: 'warn' | 'fatal', msg: string): string {
  return `${redact(JSON.stringify({ level, time: new Date().toISOString(), service, msg }))}\n`;
}
