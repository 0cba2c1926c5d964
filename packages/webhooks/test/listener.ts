import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import type { Test } from 'tap';

export interface Listener {
  port: number;
  /** Its `http://` address. */
  url: string;
  /** Every connection ever accepted. */
  connections: Socket[];
  /** Connections open now, and the most there ever were at once. */
  open(): number;
  peak(): number;
  /** Everything that was received, on all connections. */
  received(): string;
  /** The next connection. */
  connection(): Promise<Socket>;
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
}

export interface Address {
  host?: string;
  port?: number;
}

/** @returns whether this machine has the address; some systems have only 127.0.0.1 of loopback */
export async function hasAddress(host: string): Promise<boolean> {
  const server = createServer().listen(0, host);
  return once(server, 'listening').then(
    () => {
      server.close();
      return true;
    },
    () => false,
  );
}

/** Listens with raw TCP, so that a receiver can misbehave in any way; closed when the test ends. */
export async function listen(
  t: Test,
  serve: (socket: Socket) => void,
  address: Address = {},
): Promise<Listener> {
  return listenWith(t, createServer(), 'connection', serve, address);
}

/** Does the same for another kind of server, such as TLS; `event` announces a connection. */
export async function listenWith(
  t: Test,
  server: Server,
  event: string,
  serve: (socket: Socket) => void,
  { host = '127.0.0.1', port = 0 }: Address = {},
): Promise<Listener> {
  const connections: Socket[] = [];
  const chunks: Buffer[] = [];
  let peak = 0;
  const open = () => connections.filter((socket) => !socket.destroyed).length;
  server.on('connection', (socket: Socket) => {
    connections.push(socket);
    peak = Math.max(peak, open());
    socket.on('error', () => {}).on('close', () => server.emit('one less'));
  });
  server.on(event, (socket: Socket) => {
    socket.on('error', () => {}).on('data', (chunk) => chunks.push(chunk));
    serve(socket);
  });
  server.listen(port, host);
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of connections) socket.destroy();
    server.close();
  });
  const bound = (server.address() as AddressInfo).port;
  return {
    port: bound,
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    connections,
    open,
    peak: () => peak,
    received: () => Buffer.concat(chunks).toString(),
    connection: async () => (await once(server, 'connection'))[0] as Socket,
    idle: async () => {
      while (open() > 0) await once(server, 'one less');
    },
  };
}

/** Calls back at the end of each request's body; requests need a `content-length`. */
export function onRequest(socket: Socket, answer: (request: string) => void): void {
  let buffered = '';
  socket.on('data', (chunk) => {
    buffered += chunk.toString('latin1'); // one character per byte
    for (;;) {
      const headersEnd = buffered.indexOf('\r\n\r\n') + 4;
      const length = Number(/content-length: (\d+)/i.exec(buffered)?.[1]);
      if (headersEnd < 4 || buffered.length < headersEnd + length) return;
      const request = buffered.slice(0, headersEnd + length);
      buffered = buffered.slice(headersEnd + length);
      answer(request);
    }
  });
}

/** Responds to every request on a connection with the same bytes. */
export function always(answer: string | Buffer): (socket: Socket) => void {
  return (socket) => onRequest(socket, () => socket.write(answer));
}

/** A complete response with a length. */
export function answer(status: number, body = '', headers: Record<string, string> = {}): string {
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)) });
  return `HTTP/1.1 ${status} X\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
}
