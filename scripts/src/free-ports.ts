import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartError } from './start-error.ts';

/** @throws StartError with the first port that another process holds, and its variable */
export async function assertPortsFree(ports: readonly [string, number][]): Promise<void> {
  for (const [variable, port] of ports) {
    for (const host of ['127.0.0.1', '::1']) {
      if (await isFree(port, host)) continue;
      throw new StartError(
        `port ${port} is taken: end what listens on it, or set ${variable} to another port`,
      );
    }
  }
}

/** A machine without IPv6 has no ::1 to check. */
async function isFree(port: number, host: string): Promise<boolean> {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EACCES') throw new StartError(`port ${port} needs rights that this user does not have`);
    return code !== 'EADDRINUSE';
  }
  server.close();
  await once(server, 'close');
  return true;
}
