import { ConfigurationError } from './environment.ts';

/** Runs a process's entry point; what stops its start is one line on standard error and exit code 1. */
export function main(start: () => Promise<void>): void {
  start().catch((error: unknown) => {
    process.stderr.write(`${describe(error)}\n`);
    process.exit(1);
  });
}

function describe(error: unknown): string {
  if (error instanceof ConfigurationError) return `configuration: ${error.message}`;
  const { code, port, address } = error as { code?: string; port?: number; address?: string };
  if (code === 'EADDRINUSE') return `port ${port} on ${address} is already in use`;
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
