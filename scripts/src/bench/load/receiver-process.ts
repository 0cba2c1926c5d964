import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ReceiverCommand, ReceiverReport } from './receiver.ts';

/** Stores' receivers, in a process of their own: each on a port, told over IPC what to do. */
let servers: Server[] = [];
let arrivals: number[] = [];
let byPort = new Map<number, number>();
let ids: Map<string, number> | undefined;

process.on('message', async (command: ReceiverCommand) => {
  process.send?.(await obey(command));
});

async function obey(command: ReceiverCommand): Promise<unknown> {
  if (command.do === 'listen') {
    const [healthy, hanging] = await Promise.all([
      Promise.all(Array.from({ length: command.healthy }, () => listen(true))),
      Promise.all(Array.from({ length: command.hanging }, () => listen(false))),
    ]);
    return { healthy, hanging };
  }
  if (command.do === 'close') {
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
    servers = [];
  }
  if (command.do === 'reset') {
    arrivals = [];
    byPort = new Map();
    ids = command.withIds ? new Map() : undefined;
  }
  const { user, system } = process.cpuUsage();
  return {
    count: arrivals.length,
    firstMs: arrivals[0] ?? Number.NaN,
    lastMs: arrivals.at(-1) ?? Number.NaN,
    byPort: Object.fromEntries(byPort),
    ids: command.do === 'report' && ids ? Object.fromEntries(ids) : {},
    cpuSeconds: (user + system) / 1_000_000,
  } satisfies ReceiverReport;
}

/** One that does not answer counts nothing. */
function listen(answers: boolean): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    if (!answers) return;
    request.on('end', () => {
      note(request.headers['webhook-id'], request.socket.localPort ?? 0);
      response.writeHead(200, { 'content-length': 0 }).end();
    });
  });
  servers.push(server);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      resolve(`http://127.0.0.1:${port}/webhook`);
    });
  });
}

function note(id: string | string[] | undefined, port: number): void {
  const now = performance.timeOrigin + performance.now();
  arrivals.push(now);
  byPort.set(port, (byPort.get(port) ?? 0) + 1);
  if (ids && typeof id === 'string' && !ids.has(id)) ids.set(id, now);
}
