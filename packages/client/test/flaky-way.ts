import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

export type FlakyWay = {
  url: string;
  /** The number of requests, including lost ones. */
  count(): number;
  /** The fates of the next requests, one each; later ones pass through. */
  next(...fates: Fate[]): void;
  close(): Promise<void>;
};

/** The response is lost; there is none; or a proxy responds with this status, and these headers. */
export type Fate = 'lose the response' | 'hang' | number | [status: number, headers: Record<string, string>];

/** A proxy to a server that loses, delays or replaces responses. */
export async function startFlakyWay(target: string): Promise<FlakyWay> {
  let count = 0;
  const fates: Fate[] = [];
  const server = createServer((incoming, outgoing) => {
    count += 1;
    const fate = fates.shift();
    if (fate === 'hang') return;
    if (fate && fate !== 'lose the response') {
      const [status, answered] = typeof fate === 'number' ? [fate, {}] : fate;
      return void outgoing.writeHead(status, answered).end('<html>a proxy’s page</html>');
    }
    const { method, url, headers } = incoming;
    const forwarded = request(target + url, { method, headers }, (response) => {
      if (fate === 'lose the response') return incoming.socket.destroy();
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    next: (...more) => void fates.push(...more),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
