import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnServer } from './backing-server.ts';
import { startRestartable } from './restartable-server.ts';

export type NatsOptions = {
  /** The nats-server program (see `natsProgram`). */
  program: string;
  /** JetStream's folder, created if missing. */
  dir: string;
  /** For a cluster's server: its name, the port for the other servers, and the ports by which it reaches them. */
  cluster?: { name: string; port: number; others: readonly number[] };
  logFile?: string;
  /** Called when it ends by itself, with `SIGKILL: <log line>`. */
  onExit?: (reason: string) => void;
};

/**
 * Starts NATS with JetStream on a free port of 127.0.0.1.
 * @throws BackingServiceError
 */
export async function startNatsServer(options: NatsOptions): Promise<OwnServer> {
  await mkdir(options.dir, { recursive: true });
  return startRestartable({
    commandOn: (port) => ({
      name: 'NATS',
      program: options.program,
      args: [
        '-a',
        '127.0.0.1',
        '-p',
        String(port),
        '-js',
        '-sd',
        join(options.dir, 'jetstream'),
        ...clusterFlags(options),
      ],
      orphanSignal: 'SIGTERM',
      ready: /Server is ready/,
      failure: /\[FTL\]|\[ERR\]/,
      logFile: options.logFile,
    }),
    urlOn: (port) => `nats://127.0.0.1:${port}`,
    stopSignal: 'SIGTERM',
    portTaken: /address already in use/,
    onExit: options.onExit,
  });
}

function clusterFlags({ cluster }: NatsOptions): string[] {
  if (!cluster) return [];
  const at = (port: number) => `nats://127.0.0.1:${port}`;
  const routes = cluster.others.map(at).join(',');
  return [
    '-n',
    cluster.name,
    '--cluster_name',
    'payments',
    '--cluster',
    at(cluster.port),
    '--routes',
    routes,
    // Servers and clients use the addresses that they were given, and learn no others.
    '--cluster_advertise',
    '127.0.0.1:1',
    '--no_advertise',
  ];
}
