import { ConfigurationError } from './environment.ts';
import { logLine } from './log-line.ts';

/**
 * Runs a process's entry point. A failed start is one line on standard error and exit code 1. Node's warnings become
 * lines of the same form.
 * @param service the name in log lines
 */
export function main(service: string, start: () => Promise<void>): void {
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => {
    process.stderr.write(logLine(service, 'warn', `${name}: ${message}`));
  });
  start().catch((error: unknown) => {
    process.stderr.write(logLine(service, 'fatal', describe(error)));
    process.exit(1);
  });
}

function describe(error: unknown): string {
  if (error instanceof ConfigurationError) return `configuration: ${error.message}`;
  const { code, port, address } = error as { code?: string; port?: number; address?: string };
  if (code === 'EADDRINUSE') return `port ${port} on ${address} is already in use`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
