import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';

export type NatsProxy = {
  url: string;
  /** From now on acknowledgements get lost on their way. */
  loseAcks(lose: boolean): void;
  /** Resolves when an acknowledgement was lost. */
  ackLost(): Promise<void>;
};

// An acknowledgement is a publication to the message's own reply subject.
const ack = /PUB \$JS\.ACK\.[^\r\n]+\r\n[^\r\n]*\r\n/g;

/** Stands between the service and NATS, so that a test can come between a message and its acknowledgement. */
export async function startNatsProxy(t: Pick<Test, 'teardown'>, natsUrl: string): Promise<NatsProxy> {
  const { hostname, port } = new URL(natsUrl);
  const lost = new EventEmitter<{ ack: [] }>();
  const sockets = new Set<Socket>();
  let losing = false;
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
    upstream.on('data', (chunk) => client.write(chunk));
    client.on('data', (chunk) => {
      const passed = losing ? chunk.toString('latin1').replace(ack, '') : undefined;
      if (passed === undefined || passed.length === chunk.length) upstream.write(chunk);
      else {
        upstream.write(passed, 'latin1');
        lost.emit('ack');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
  });
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    loseAcks: (lose) => {
      losing = lose;
    },
    ackLost: async () => void (await once(lost, 'ack', { signal: AbortSignal.timeout(15_000) })),
  };
}
