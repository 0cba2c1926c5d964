/**
 * A process in its own group that holds PostgreSQL and NATS for its parent. Ctrl-C therefore does not reach them before
 * the services that need them. When its parent is gone, it ends the guarded processes, then its servers, then itself.
 */
import { rm } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { type BackingServer, reasonOf } from './backing-server.ts';
import { isRunning } from './is-running.ts';
import type { KeeperAnswer, KeeperEvent, KeeperRequest } from './keep.ts';
import { startNatsServer } from './nats-server.ts';
import { startEmbeddedPostgres } from './postgres-embedded.ts';

const patienceMs = 40_000;
const servers = new Map<string, BackingServer>();
const discarded: string[] = [];
let guarded: number[] = [];
let ending = false;

process.on('message', (message: KeeperRequest & { id: number }) => void answer(message));
process.on('disconnect', () => void endAll());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});

async function answer(request: KeeperRequest & { id: number }) {
  try {
    const url = await obey(request);
    tell({ answer: request.id, ...(url !== undefined && { url }) });
  } catch (error) {
    tell({ answer: request.id, error: reasonOf(error) });
  }
}

async function obey(request: KeeperRequest): Promise<string | undefined> {
  if (request.do === 'guard') guarded = request.pids;
  else if (request.do === 'postgres' || request.do === 'nats') return add(request);
  else await servers.get(request.server)![request.do]();
  return undefined;
}

async function add(request: Extract<KeeperRequest, { do: 'postgres' | 'nats' }>): Promise<string> {
  if (request.options.discard) discarded.push(request.options.dir);
  const onExit = (name: string) => (reason: string) =>
    ending || tell({ exited: `${name} ended: ${reason}`, server: server.url });
  const server: BackingServer =
    request.do === 'postgres'
      ? await startEmbeddedPostgres({ ...request.options, onExit: onExit('PostgreSQL') })
      : await startNatsServer({ ...request.options, onExit: onExit('NATS') });
  servers.set(server.url, server);
  // The parent may have ended meanwhile.
  if (ending) await server.stop();
  return server.url;
}

function tell(message: KeeperAnswer | KeeperEvent) {
  if (process.connected) process.send!(message);
}

async function endAll() {
  ending = true;
  await endGuarded();
  await Promise.all([...servers.values()].map((server) => server.stop()));
  await Promise.all(discarded.map((dir) => rm(dir, { recursive: true, force: true, maxRetries: 5 })));
}

/** The parent ends its own children. They still run only if the parent was killed. */
async function endGuarded() {
  for (const pid of guarded) send(pid, 'SIGTERM');
  for (const deadline = Date.now() + patienceMs; guarded.some(isRunning); await delay(50)) {
    if (Date.now() > deadline) for (const pid of guarded) send(pid, 'SIGKILL');
  }
}

function send(pid: number, signal: NodeJS.Signals) {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended.
  }
}
