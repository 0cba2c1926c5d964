import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below what systems give to outgoing connections: one of those could take a port before it is listened on, or while
// a server on it starts again.
const [lowest, highest] = [20_000, 32_767];
const given = new Set<number>();

/** A TCP port that is free on 127.0.0.1 at this moment, and was not given before. */
export async function freePort(): Promise<number> {
  const port = randomInt(lowest, highest + 1);
  if (given.has(port) || !(await isFree(port))) return freePort();
  given.add(port);
  return port;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
}
