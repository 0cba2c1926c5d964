import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackingServer, ThrowawayServer } from './backing-server.ts';
import { hasContainerEngine } from './container-engine.ts';
import { startNatsContainer, startPostgresContainer } from './containers.ts';
import { type Keeper, openKeeper } from './keep.ts';
import { natsProgram } from './nats-program.ts';

export type Source = 'container' | 'embedded';

/** @returns where test servers come from: a container engine, else this machine's programs */
export async function throwawaySource(): Promise<Source> {
  return (await hasContainerEngine()) ? 'container' : 'embedded';
}

/**
 * Starts a PostgreSQL for tests, tuned for speed, which ends with this process.
 * @throws BackingServiceError
 */
export async function throwawayPostgres(source: Source): Promise<ThrowawayServer> {
  if (source === 'container') return startPostgresContainer();
  return kept('postgres', (keeper, dir) => keeper.startPostgres({ dir, tuning: 'fast', discard: true }));
}

/**
 * Starts a NATS with JetStream for tests, which ends with this process.
 * @throws BackingServiceError
 */
export async function throwawayNats(
  source: Source,
  report?: (line: string) => void,
): Promise<ThrowawayServer> {
  if (source === 'container') return startNatsContainer();
  const program = await natsProgram(report);
  return kept('nats', (keeper, dir) => keeper.startNats({ dir, program, discard: true }));
}

async function kept(name: string, start: (keeper: Keeper, dir: string) => Promise<BackingServer>) {
  const dir = await mkdtemp(join(tmpdir(), `payments-test-${name}-`));
  const keeper = openKeeper();
  const server = await start(keeper, dir);
  return { ...server, remove: () => keeper.close() };
}
