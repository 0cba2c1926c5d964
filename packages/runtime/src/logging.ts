import { setTimeout } from 'node:timers/promises';
import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { errorFields } from './error-fields.ts';

/**
 * Cuts secrets and personal data out of a finished log line. pino's `redact` takes paths of a fixed depth, misses the
 * text of a library's error, and takes a seventh of a busy dispatcher's time.
 */
const secretFields =
  /"(authorization|token|secret|password|email|observation|clientSecret|webhookSecret|infoPagador)":("(?:[^"\\]|\\.)*"|\[[^\]]*\]|\{[^}]*\}|[^,}\]]+)/g;

const token = /\bppk?_[\w-]{9,}/g;

// bounded: 192 characters before the `@` (64 that are encoded: `%40`, `%2540`), and 63 up to each dot.
const email =
  /[\p{L}\w.!#$%&'*+/=?^`{|}~-]{1,192}(?:@|%(?:25){0,2}40)[\p{L}\w-]{1,63}(?:\.[\p{L}\w-]{1,63})+/gu;

/** Patterns of secrets and e-mails anywhere in a line. A pattern is tried only if its clue occurs. */
const patterns: [clue: string, pattern: RegExp, shown: string][] = [
  ['pp_', token, '[redacted]'],
  ['ppk_', token, '[redacted]'],
  ['whsec_', /\bwhsec_[\w+/=-]+/g, '[redacted]'],
  ['earer ', /\b(Bearer) [\w.~+/=-]{6,}/gi, '$1 [redacted]'],
  ['asic ', /\b(Basic) [\w+/=]{6,}/gi, '$1 [redacted]'],
  ['://', /:\/\/[^\s/@"\\]{1,200}@/g, '://[redacted]@'],
  ['@', email, '[redacted]'],
  ['%40', email, '[redacted]'],
  ['2540', email, '[redacted]'],
];

/** @returns the JSON line without secrets and personal data */
export function redact(line: string): string {
  let clean = line.replace(secretFields, '"$1":"[redacted]"');
  for (const [clue, pattern, shown] of patterns)
    if (clean.includes(clue)) clean = clean.replace(pattern, shown);
  return clean;
}

/** The most that waits for a blocked reader of the log. More is dropped, so that the process survives. */
const maxLength = 16 * 1_024 * 1_024;

let output: DestinationStream | undefined;

// Every flush wakes a thread, also one of nothing: twenty a second, and their threads, were much of what an idle process took.
const flushMs = 500;

/** Whether the last write failed, or has not ended: the disk is full, or nobody reads. */
let isStuck = false;

/** Standard output, written in the background: a slow reader of the log must not delay payments, nor a full disk stop them. */
const standardOutput = () => (output ??= openOutput());

function openOutput(): DestinationStream {
  const stream = destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: flushMs, maxLength });
  // Lines that were not written are tried again with the next ones.
  stream.on('error', () => {
    isStuck = true;
  });
  stream.on('write', (bytes: number) => {
    if (bytes > 0) isStuck = false;
  });
  // While nobody takes the lines, `flushSync` repeats its write for ever, and nothing else of this process runs. pino also
  // calls it after each fatal line. So it runs at the exit alone, and only if the last write did not fail.
  const flushAtExit = stream.flushSync.bind(stream);
  stream.flushSync = () => {};
  process.on('exit', () => {
    if (!isStuck) flushAtExit();
  });
  return stream;
}

const patienceMs = 2_000;

/** Waits until all lines are written, unless nobody takes them. */
export async function flushLog(log: Logger): Promise<void> {
  const late = setTimeout(patienceMs, 'late', { ref: false });
  // The first flush waits for the current write, the second for the lines that queued meanwhile.
  for (let flushed = 0; flushed < 2; flushed += 1) {
    const flush = new Promise<void>((resolve) => log.flush(() => resolve()));
    if ((await Promise.race([flush, late])) === 'late') isStuck = true;
  }
}

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
