import { join } from 'node:path';
import type { OwnServer } from '@payments/local-servers/backing-server';
import { natsProgram } from '@payments/local-servers/nats-program';
import { startNatsServer } from '@payments/local-servers/nats-server';
import { startEmbeddedPostgres } from '@payments/local-servers/postgres-embedded';

export type DurableServers = { postgres: OwnServer; nats: OwnServer };

/**
 * Starts PostgreSQL and NATS as `npm start` does: they accept every signal, and lose no data.
 * @param settings more of postgresql.conf, as `name=value`
 */
export async function startDurableServers(
  dir: string,
  settings: readonly string[] = [],
): Promise<DurableServers> {
  const program = await natsProgram();
  const [postgres, nats] = await Promise.all([
    startEmbeddedPostgres({
      dir: join(dir, 'postgres'),
      tuning: 'durable',
      settings,
      logFile: join(dir, 'postgres.log'),
    }),
    startNatsServer({ dir: join(dir, 'nats'), program, logFile: join(dir, 'nats.log') }),
  ]);
  return { postgres, nats };
}
