import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from '@payments/metrics/registry';

export type MetricsListener = { port: number; close(): Promise<void> };

/**
 * Serves `GET /metrics` on a port of its own, so that whoever scrapes reaches nothing else.
 * @throws EADDRINUSE
 */
export async function listenForMetrics(
  register: Registry,
  at: { port: number; host: string },
): Promise<MetricsListener> {
  const server = createServer(async (request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') return response.writeHead(404).end();
    const text = await register.metrics();
    return response.writeHead(200, { 'content-type': register.contentType }).end(text);
  });
  await once(server.listen(at), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      server.closeAllConnections();
      await server[Symbol.asyncDispose]();
    },
  };
}
