import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy that a test can slow down or cut. */
export type TcpProxy = {
  port: number;
  /** Delays everything by this time, each way; 0 ends the delay. */
  slow(ms: number): void;
  /** Ends every connection, like a pulled cable. */
  cut(): void;
  /** While true, nothing passes, and no end of a connection either, as in a partitioned network. */
  silence(silent: boolean): void;
  /** Sends new connections to another port, as a Kubernetes Service does. */
  lead(port: number): void;
  /** While true, new connections are closed at once. */
  refuse(refusing: boolean): void;
  close(): Promise<void>;
};

/** Starts a proxy to a server on 127.0.0.1, on a free port. */
export async function startTcpProxy(firstPort: number): Promise<TcpProxy> {
  const sockets = new Set<Socket>();
  let [targetPort, delayMs, refusing] = [firstPort, 0, false];
  let silence: PromiseWithResolvers<void> | undefined;
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    if (refusing) return client.resetAndDestroy();
    const upstream = connect({ port: targetPort, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    const link = { delayMs: () => delayMs, silence: () => silence?.promise };
    forward(client, upstream, link);
    forward(upstream, client, link);
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
    silence: (silent) => {
      silence?.resolve();
      silence = silent ? Promise.withResolvers() : undefined;
    },
    lead: (port) => {
      targetPort = port;
    },
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

type Passage = { delayMs: () => number; silence: () => Promise<void> | undefined };

/** Passes on what `from` sends, in order, each piece with the delay in force when it came. */
function forward(from: Socket, to: Socket, { delayMs, silence }: Passage): void {
  const waiting: (() => void)[] = [];
  const passNext = async () => {
    // Another silence may begin as one ends.
    for (let silent = silence(); silent; silent = silence()) await silent;
    waiting.shift()?.();
  };
  const later = (pass: () => void) => {
    const delay = delayMs();
    if (delay === 0 && waiting.length === 0 && !silence()) return pass();
    waiting.push(pass);
    setTimeout(passNext, delay).unref();
  };
  from.on('data', (chunk) => later(() => to.write(chunk)));
  from.on('end', () => later(() => to.end()));
  from.on('error', () => later(() => to.destroy()));
  from.on('close', () => later(() => to.destroy()));
}
