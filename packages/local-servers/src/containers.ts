import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { StartedTestContainer } from 'testcontainers';
import { BackingServiceError, type ThrowawayServer } from './backing-server.ts';
import { images } from './container-images.ts';
import { freePort } from './free-port.ts';
import { fastSettings } from './postgres-embedded.ts';

/** PostgreSQL in a container, tuned for tests, with an empty database `payments`. */
export async function startPostgresContainer(): Promise<ThrowawayServer> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const [host, password] = [await freePort(), randomBytes(18).toString('base64url')];
  const container = await new GenericContainer(images.postgres)
    .withExposedPorts({ container: 5432, host })
    .withEnvironment({ POSTGRES_PASSWORD: password, POSTGRES_DB: 'payments' })
    .withCommand(['postgres', ...fastSettings.flatMap((setting) => ['-c', setting])])
    .withWaitStrategy(Wait.forListeningPorts())
    .start();
  return asServer(container, `postgres://postgres:${password}@${container.getHost()}:${host}/payments`);
}

/** NATS with JetStream in a container. */
export async function startNatsContainer(): Promise<ThrowawayServer> {
  const { GenericContainer, Wait } = await import('testcontainers');
  const host = await freePort();
  const container = await new GenericContainer(images.nats)
    // The image's other ports are published, too: Podman lists them as bindings, and the client would wait for them.
    .withExposedPorts({ container: 4222, host }, 6222, 8222)
    .withCommand(['-js', '-sd', '/tmp/jetstream'])
    // The greeting below is more reliable than the log, which some engines show late or not at all.
    .withWaitStrategy(Wait.forAll([]))
    .start();
  const server = await asServer(container, `nats://${container.getHost()}:${host}`);
  const greets = () => untilGreeted(container.getHost(), host);
  await greets();
  return { ...server, start: () => server.start().then(greets) };
}

async function asServer(container: StartedTestContainer, url: string): Promise<ThrowawayServer> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  const { container: engine } = await getContainerRuntimeClient();
  // The engine's own client: a StartedTestContainer can be stopped only once.
  const handle = engine.getById(container.getId());
  return {
    url,
    start: () => container.restart(),
    stop: () => engine.stop(handle, { timeout: 20_000 }),
    kill: () => engine.stop(handle, { timeout: 0 }),
    remove: async () => {
      await engine.stop(handle, { timeout: 0 });
      await engine.remove(handle, { removeVolumes: true });
    },
  };
}

/** Resolves when NATS greets a connection. A published port accepts connections before the server does. */
async function untilGreeted(host: string, port: number): Promise<void> {
  const deadline = Date.now() + 60_000;
  while (!(await isGreeted(host, port))) {
    if (Date.now() > deadline) throw new BackingServiceError('NATS does not answer in its container');
    await delay(50);
  }
}

function isGreeted(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port, timeout: 1_000 });
  return new Promise((resolve) => {
    const end = (greeted: boolean) => {
      socket.destroy();
      resolve(greeted);
    };
    socket.once('data', (data) => end(data.toString().startsWith('INFO')));
    for (const event of ['error', 'close', 'timeout'] as const) socket.once(event, () => end(false));
  });
}
