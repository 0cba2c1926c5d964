import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from '@payments/metrics/registry';
import type { SharedSettings } from './settings.ts';

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
    if (request.method !== 'GET' || request.url !== '/metrics') return response.writeHead(404).end();
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
