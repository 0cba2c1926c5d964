import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Server } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Registry } from '@payments/metrics/registry';
import type { SharedSettings } from './settings.ts';

/** The part of a Fastify application that is needed to listen. */
type Listener = {
  server: Server;
  listen(at: { port: number; host: string; backlog: number }): Promise<string>;
};

/**
 * Connections that wait until they are accepted, as far as the kernel allows. Node's own 511 drop the connections of
 * everybody while one caller opens a thousand, and those whose connection was dropped try again a second later.
 */
const backlog = 4_096;

/** The answer to any other path (Contract: error body). */
const notFound = {
  headers: { 'content-type': 'application/json; charset=utf-8', 'error-code': 'routeNotFound' },
  body: JSON.stringify({ statusCode: 404, message: 'Rota não encontrada.' }),
};

/**
 * Listens on a port; 0 takes any free one.
 * @returns the port
 * @throws EADDRINUSE, or the error of a `HOST` that is no address of this machine
 */
export async function listen(app: Listener, { port, host }: { port: number; host: string }): Promise<number> {
  await app.listen({ port, host, backlog });
  return (app.server.address() as AddressInfo).port;
}

/**
 * Accepts the connections that wait in the kernel. A listener that closes cuts them, though their clients have sent a
 * request: after a pause of the whole process, timers run before sockets are read. Node accepts one connection in a turn of
 * its event loop, so that none waits after a turn without one.
 */
export async function acceptWaiting(server: Server): Promise<void> {
  let accepted = true;
  const onConnection = () => {
    accepted = true;
  };
  server.on('connection', onConnection);
  // New ones that arrive meanwhile must not hold up the stop.
  for (let turns = 0; accepted && turns < backlog; turns += 1) {
    accepted = false;
    await nextTurn();
  }
  server.off('connection', onConnection);
}

/**
 * Serves `GET /metrics` on a port of its own, so that whoever scrapes reaches nothing else.
 * @returns undefined if it has none
 * @throws EADDRINUSE
 */
export async function listenForMetrics(
  register: Registry,
  { METRICS_PORT: port, HOST: host }: Pick<SharedSettings, 'METRICS_PORT' | 'HOST'>,
) {
  if (port === undefined) return undefined;
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics')
      return response.writeHead(404, notFound.headers).end(notFound.body);
    const text = await register.metrics();
    return response.writeHead(200, { 'content-type': register.contentType }).end(text);
  });
  await once(server.listen({ port, host }), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
