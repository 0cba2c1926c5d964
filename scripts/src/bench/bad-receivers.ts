import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** The ways in which a receiver can be bad. */
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

const behaviours: Record<Exclude<Temper, 'resolves to nothing'>, (socket: Socket) => void> = {
  hangs: () => {},
  drips: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
    const drip = setInterval(() => socket.write('.'), 1_000);
    socket.on('close', () => clearInterval(drip));
  },
  resets: (socket) => socket.resetAndDestroy(),
  'answers 500': (socket) => {
    socket.write('HTTP/1.1 500 Internal Server Error\r\nContent-Length: 0\r\n\r\n');
  },
  'answers 1 GB': (socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${gigabyte}\r\n\r\n`);
    const chunk = Buffer.alloc(65_536, 'x');
    const pour = () => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on('drain', pour);
    pour();
  },
  'redirects inward': (socket) => {
    socket.write('HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n');
  },
};

export type BadReceiver = { temper: Temper; url: string; close(): Promise<void> };

/** Starts a receiver that misbehaves in this way, on loopback. */
export async function startBadReceiver(temper: Temper): Promise<BadReceiver> {
  if (temper === 'resolves to nothing') {
    return { temper, url: 'http://nowhere.invalid/webhook', close: async () => {} };
  }
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', () => behaviours[temper](socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    temper,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
