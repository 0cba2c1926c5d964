import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below the range of outgoing connections: one of those could take a port before its server listens, or while it
// restarts.
const [lowest, highest] = [20_000, 32_767];

/** @returns a free TCP port of 127.0.0.1, different for every caller while this process lives */
export async function freePort(): Promise<number> {
  const port = randomInt(lowest, highest + 1);
  return (await reserve(port)) && (await isFree(port)) ? port : freePort();
}

/**
 * Reserves a port by binding the UDP port of the same number. The system grants it to one process and frees it at its
 * end.
 */
function reserve(port: number): Promise<boolean> {
  const reservation = createSocket('udp4').unref();
  reservation.bind({ port, address: '127.0.0.1', exclusive: true });
  return isListening(once(reservation, 'listening'));
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  if (!(await isListening(once(server, 'listening')))) return false;
  server.close();
  await once(server, 'close');
  return true;
}

/** @returns false if another process has it */
async function isListening(listening: Promise<unknown>): Promise<boolean> {
  try {
    await listening;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
}
