import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Json } from '@payments/testing/http';
import type { Teardown } from './bank-under-test.ts';

/** Where a receiver takes callbacks: a real HTTP server that answers with the statuses given, then 200. */
export async function startReceiver(t: Teardown, statuses: number[] = []) {
  const calls: { url: string; body: Json }[] = [];
  const arrived = new EventEmitter();
  const server = createServer(async (request, answer) => {
    const chunks = await request.toArray();
    calls.push({ url: request.url ?? '', body: JSON.parse(Buffer.concat(chunks).toString()) });
    answer.writeHead(statuses.shift() ?? 200).end();
    arrived.emit('call');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    calls,
    /** Resolves when so many calls have arrived in all. */
    async received(count: number) {
      while (calls.length < count) await once(arrived, 'call');
      return calls;
    },
  };
}
