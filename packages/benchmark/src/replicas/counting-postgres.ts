import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@payments/local-servers/postgres-embedded';

/** Starts a PostgreSQL that counts how often each statement runs. */
export async function startCountingPostgres(): Promise<{ url: string; remove(): Promise<void> }> {
  const dir = await mkdtemp(join(tmpdir(), 'payments-replicas-'));
  const server = await startEmbeddedPostgres({
    dir,
    tuning: 'fast',
    settings: ['shared_preload_libraries=pg_stat_statements'],
  });
  return {
    url: server.url,
    remove: async () => {
      await server.kill();
      await rm(dir, { recursive: true, force: true });
    },
  };
}
