import { type Logger, pino } from 'pino';

/** Names of fields that never reach a log line, wherever they stand: secrets, tokens, and what a payer or store wrote. */
const secretFields = [
  'authorization',
  'token',
  'secret',
  'password',
  'email',
  'observation',
  'clientSecret',
  'webhookSecret',
  'infoPagador',
];

const redact = {
  paths: secretFields.flatMap((field) => [field, `*.${field}`, `*.*.${field}`]),
  censor: '[redacted]',
};

/** @returns a logger of JSON lines with level, time, service, message and ids; secrets and personal data cut out */
export function createLogger(service: string, level: string): Logger {
  const options = {
    level,
    base: { service },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact,
  };
  // Not synchronous: a slow reader of the log must not hold up payments. With a minLength of 0, flush waits for nothing.
  return pino(options, pino.destination({ dest: 1, sync: false, minLength: 1 }));
}
