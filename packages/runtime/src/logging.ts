import { type Logger, pino } from 'pino';
import { errorFields } from './error-fields.ts';
import { withoutSecrets } from './secret-fields.ts';
import { withoutSecretText } from './secret-text.ts';

// A reader of the log that takes nothing any more costs lines, not the process.
const maxLength = 16 * 1_024 * 1_024;

/** @returns a logger of JSON lines with level, time, service, message and ids; secrets and personal data cut out */
export function createLogger(service: string, level: string): Logger {
  const options = {
    level,
    base: { service },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: {
      level: (label: string) => ({ level: label }),
      bindings: withoutSecrets,
      log: withoutSecrets,
    },
    serializers: { err: (error: unknown) => errorFields(error) },
    hooks: { streamWrite: withoutSecretText },
  };
  // Not synchronous: a slow reader of the log must not hold up payments. Lines of a busy moment are written together.
  return pino(
    options,
    pino.destination({ dest: 1, sync: false, minLength: 8_192, periodicFlush: 50, maxLength }),
  );
}
