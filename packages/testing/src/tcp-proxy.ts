import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A link between two processes that a test can make worse. */
export type TcpProxy = {
  port: number;
  /** From now on whatever goes through takes this much longer, each way; 0 ends it. */
  slow(ms: number): void;
  /** Ends every connection, as a cable does that is pulled. */
  cut(): void;
  /** While true, new connections are ended as they come. */
  refuse(refusing: boolean): void;
  close(): Promise<void>;
};

/** Stands in front of a server on 127.0.0.1, on a free port of its own. */
export async function startTcpProxy(targetPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let [delayMs, refusing] = [0, false];
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    if (refusing) return client.resetAndDestroy();
    const upstream = connect({ port: targetPort, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    forward(client, upstream, () => delayMs);
    forward(upstream, client, () => delayMs);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    slow: (ms) => {
      delayMs = ms;
    },
    cut,
    refuse: (value) => {
      refusing = value;
    },
    close: async () => {
      cut();
      server.close();
      await once(server, 'close');
    },
  };
}

/** Passes on what `from` sends, in its order, each piece after the delay of the moment it came. */
function forward(from: Socket, to: Socket, delayMs: () => number): void {
  const waiting: (() => void)[] = [];
  const later = (pass: () => void) => {
    const delay = delayMs();
    if (delay === 0 && waiting.length === 0) return pass();
    waiting.push(pass);
    setTimeout(() => waiting.shift()?.(), delay).unref();
  };
  from.on('data', (chunk) => later(() => to.write(chunk)));
  from.on('end', () => later(() => to.end()));
  from.on('error', () => to.destroy());
  from.on('close', () => later(() => to.destroy()));
}
