import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

export type Backend = { port: number; healthPort: number };

export type Balancer = {
  url: string;
  /** The number of connections of each backend, by its port. */
  given: Map<number, number>;
  /** Resolves when connections may go to the backend on this port. */
  takes(port: number): Promise<void>;
  /** The number of connections that found no backend. */
  refused(): number;
  close(): Promise<void>;
};

export type BalancerOptions = {
  /** Any free port by default. */
  port?: number;
  /** True if unready backends get connections if no ready one accepts them, as balancers do that fail open. */
  failOpen?: boolean;
  /** How often each backend is asked for its readiness; every 50 ms by default. */
  askEveryMs?: number;
};

/**
 * A TCP balancer on 127.0.0.1. New connections go in turn to the backends whose `/health/ready` last responded 200.
 * Open connections stay where they are.
 */
export async function startBalancer(
  backends: readonly Backend[],
  { port = 0, failOpen = false, askEveryMs = 50 }: BalancerOptions = {},
): Promise<Balancer> {
  const ready = new Set<Backend>();
  const open = new Set<Socket>();
  const given = new Map(backends.map(({ port }) => [port, 0]));
  let [turn, refused, closed] = [0, 0, false];

  const watch = async (backend: Backend) => {
    while (!closed) {
      const answer = await readiness(backend.healthPort);
      if (answer === 'ready') ready.add(backend);
      // A slow backend stays: on a busy machine both may be slow.
      else if (answer !== 'slow') ready.delete(backend);
      await delay(askEveryMs);
    }
  };
  const server = createServer({ allowHalfOpen: true }, async (client) => {
    keep(client);
    turn += 1;
    const inTurn = [...backends.slice(turn % backends.length), ...backends.slice(0, turn % backends.length)];
    const others = failOpen ? inTurn.filter((backend) => !ready.has(backend)) : [];
    for (const backend of [...inTurn.filter((one) => ready.has(one)), ...others]) {
      const upstream = await dial(backend.port);
      if (!upstream) continue;
      given.set(backend.port, (given.get(backend.port) ?? 0) + 1);
      keep(upstream);
      join(client, upstream);
      return;
    }
    refused += 1;
    client.resetAndDestroy();
  });
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => {});
  };
  const watching = Promise.all(backends.map(watch));
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    given,
    takes: async (port) => {
      while (!closed && ![...ready].some((backend) => backend.port === port)) await delay(askEveryMs);
    },
    refused: () => refused,
    close: async () => {
      closed = true;
      for (const socket of open) socket.destroy();
      server.close();
      await Promise.all([watching, once(server, 'close')]);
    },
  };
}

/** Passes bytes both ways, with each side's end or loss. */
function join(client: Socket, upstream: Socket): void {
  client.pipe(upstream);
  upstream.pipe(client);
  client.on('close', () => upstream.destroy());
  upstream.on('close', () => client.destroy());
}

function dial(port: number): Promise<Socket | undefined> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
  return new Promise((resolve) => {
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}

async function readiness(port: number): Promise<'ready' | 'not ready' | 'slow'> {
  const options = { signal: AbortSignal.timeout(1_000), headers: { connection: 'close' } };
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`, options);
    await answer.body?.cancel();
    return answer.status === 200 ? 'ready' : 'not ready';
  } catch (error) {
    return (error as Error).name === 'TimeoutError' ? 'slow' : 'not ready';
  }
}
