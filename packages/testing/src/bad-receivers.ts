import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** The ways in which a receiver can misbehave. */
export const tempers = [
  'hangs',
  'drips',
  'resets',
  'answers 500',
  'answers 1 GB',
  'redirects inward',
  'resolves to nothing',
] as const;
export type Temper = (typeof tempers)[number];

const gigabyte = 1_073_741_824;

/** Handles a request; returns true after a complete response. */
const behaviours: Record<Exclude<Temper, 'resolves to nothing'>, (socket: Socket) => boolean> = {
  hangs: () => false,
  drips: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
    const drip = setInterval(() => socket.write('.'), 1_000);
    socket.on('close', () => clearInterval(drip));
    return false;
  },
  resets: (socket) => {
    socket.resetAndDestroy();
    return false;
  },
  'answers 500': (socket) => {
    socket.write('HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n');
    return true;
  },
  'answers 1 GB': (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${gigabyte}\r\n\r\n`);
    const chunk = Buffer.alloc(65_536, 'x');
    const pour = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', pour);
    pour();
    return false;
  },
  'redirects inward': (socket) => {
    socket.write('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n');
    return true;
  },
};

export type BadReceiver = {
  temper: Temper;
  url: string;
  /** How many requests have come. */
  requests(): number;
  /** The most concurrent requests. */
  mostAtOnce(): number;
  close(): Promise<void>;
};

/** Starts a receiver on loopback that misbehaves in this way. */
export async function startBadReceiver(temper: Temper): Promise<BadReceiver> {
  let [requests, mostAtOnce] = [0, 0];
  const counts = { requests: () => requests, mostAtOnce: () => mostAtOnce };
  if (temper === 'resolves to nothing') {
    return { temper, url: 'http://nowhere.invalid/webhook', ...counts, close: async () => {} };
  }
  const sockets = new Set<Socket>();
  const inFlight = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      inFlight.delete(socket);
    });
    socket.on('data', (chunk) => {
      // Skips the rest of a request that came in several parts.
      if (chunk.subarray(0, 5).toString('latin1') !== 'POST ') return;
      requests += 1;
      inFlight.add(socket);
      mostAtOnce = Math.max(mostAtOnce, inFlight.size);
      if (behaviours[temper](socket)) inFlight.delete(socket);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    temper,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`,
    ...counts,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
