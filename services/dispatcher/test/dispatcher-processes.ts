import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import { startProcess, type TestProcess } from '@payments/testing/processes';
import type { TestSystem } from '@payments/testing/system';
import type { Ending } from './shop.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Dispatchers as processes, which can be killed. */
export type Dispatchers = {
  /** Starts one; resolves when it is ready. */
  start(): Promise<TestProcess>;
  /** Sends SIGKILL to the one that has been ready longest; resolves when it has ended. */
  killOldest(): Promise<void>;
};

/** @param env settings beyond those of the system */
export function dispatcherProcesses(
  t: Ending,
  system: TestSystem,
  env: Record<string, string> = {},
): Dispatchers {
  const all: TestProcess[] = [];
  const ready: TestProcess[] = [];
  t.teardown(async () => {
    await Promise.all(all.map((one) => one.kill('SIGTERM')));
  });
  return {
    start: async () => {
      const started = startProcess(main, { ...system.env, ...env, PORT: String(await freePort()) });
      all.push(started);
      await started.ready;
      ready.push(started);
      return started;
    },
    killOldest: async () => {
      await ready.shift()?.kill('SIGKILL');
    },
  };
}

/** A port without a listener. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
