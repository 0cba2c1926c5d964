import { ConfigurationError } from './environment.ts';
import { redact } from './redact.ts';

/**
 * Runs a process's entry point. A failed start is one line on standard error and exit code 1. Node's warnings become
 * lines of the same form.
 * @param service the name in log lines
 */
export function main(service: string, start: () => Promise<void>): void {
  const tell = (level: 'warn' | 'fatal', msg: string) => {
    const line = JSON.stringify({ level, time: new Date().toISOString(), service, msg });
    process.stderr.write(`${redact(line)}\n`);
  };
  process.removeAllListeners('warning');
  process.on('warning', ({ name, message }) => tell('warn', `${name}: ${message}`));
  start().catch((error: unknown) => {
    tell('fatal', describe(error));
    process.exit(1);
  });
}

function describe(error: unknown): string {
  if (error instanceof ConfigurationError) return `configuration: ${error.message}`;
  const { code, port, address } = error as { code?: string; port?: number; address?: string };
  if (code === 'EADDRINUSE') return `port ${port} on ${address} is already in use`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
