import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { errorFields } from './error-fields.ts';
import { redact } from './redact.ts';

/** The most that waits for a blocked reader of the log. More is dropped, so that the process survives. */
const maxLength = 16 * 1_024 * 1_024;

let output: DestinationStream | undefined;

/** Standard output, written in the background: a slow reader of the log must not delay payments. */
const standardOutput = () =>
  (output ??= destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: 50, maxLength }));

/** @returns a logger of JSON lines, without secrets and personal data */
export function createLogger(service: string, level: string): Logger {
  const options = {
    level,
    base: { service },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: errorFields },
    hooks: { streamWrite: redact },
  };
  return pino(options, standardOutput());
}
