import { type Logger, pino } from 'pino';
import { errorFields } from './error-fields.ts';
import { logOutput } from './log-output.ts';
import { withoutSecrets } from './secret-fields.ts';
import { withoutSecretText } from './secret-text.ts';

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
  return pino(options, logOutput());
}
