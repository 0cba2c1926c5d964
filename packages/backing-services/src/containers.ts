import { randomBytes } from 'node:crypto';
import type { StartedTestContainer } from 'testcontainers';
import type { ThrowawayServer } from './backing-server.ts';
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
    // The image's other ports are published, too: Podman lists them as bindings, and they would be awaited in vain.
    .withExposedPorts({ container: 4222, host }, 6222, 8222)
    .withCommand(['-js', '-sd', '/tmp/jetstream'])
    .withWaitStrategy(Wait.forLogMessage(/Server is ready/))
    .start();
  return asServer(container, `nats://${container.getHost()}:${host}`);
}

async function asServer(container: StartedTestContainer, url: string): Promise<ThrowawayServer> {
  const { getContainerRuntimeClient } = await import('testcontainers');
  const { container: engine } = await getContainerRuntimeClient();
  // The client's own calls: a StartedTestContainer can be stopped only once.
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
