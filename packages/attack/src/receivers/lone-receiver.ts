import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The receiver of a store that the load does not use. Its webhooks are in no observation. */
export type LoneReceiver = {
  /** @returns its URL with this path; each path is an endpoint */
  at(path: string): string;
  /** While true it holds every request without a response. */
  hang(hanging: boolean): void;
  close(): Promise<void>;
};

/** Starts it on 127.0.0.1; it responds 200. */
export async function startLoneReceiver(): Promise<LoneReceiver> {
  let isHanging = false;
  const server = createServer((request, response) => {
    request.resume();
    if (!isHanging) response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    at: (path) => `http://127.0.0.1:${port}/${path}`,
    hang: (hanging) => {
      isHanging = hanging;
    },
    close: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}
