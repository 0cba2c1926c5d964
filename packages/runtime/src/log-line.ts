import { redact } from './redact.ts';

/** @returns one line of the log's form, for where there is no logger yet, or no longer */
export function logLine(service: string, level: 'warn' | 'fatal', msg: string): string {
  return `${redact(JSON.stringify({ level, time: new Date().toISOString(), service, msg }))}\n`;
}
