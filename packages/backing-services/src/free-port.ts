import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:net';

// Below what systems give to outgoing connections: one of those could take a port before it is listened on, or while
// a server on it starts again.
const [lowest, highest] = [20_000, 32_767];

/** A TCP port that is free on 127.0.0.1 at this moment, and is given to no other caller while this process lives. */
export async function freePort(): Promise<number> {
  const port = randomInt(lowest, highest + 1);
  return (await reserve(port)) && (await isFree(port)) ? port : freePort();
}

/** By the UDP port of the same number, which nobody here uses: the system lets one process have it, and takes it back. */
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

/** @returns false where somebody else has it */
async function isListening(listening: Promise<unknown>): Promise<boolean> {
  try {
    await listening;
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
}
