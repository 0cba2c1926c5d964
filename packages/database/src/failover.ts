import type { WritableClient } from './servers.ts';

const lookMs = 1_000;
const silentMs = 2_000;
const probeMs = 2_000;

/**
 * Notices that another server has taken over. A frozen or unplugged one sends nothing more, not even the end of its
 * connections. So if an answer is long in coming, a new connection asks who takes writes now.
 * @param open returns a new connection that is not yet connected
 */
export function watchConnections(servers: string[], open: () => WritableClient) {
  const clients = new Set<WritableClient>();
  let isLooking = false;
  const cut = (isGone: (client: WritableClient) => boolean) => {
    for (const client of clients) if (isGone(client)) client.cut();
  };
  const look = async () => {
    const isSilent = [...clients].some(({ askedAt = Infinity }) => performance.now() - askedAt > silentMs);
    if (!isSilent || isLooking) return;
    isLooking = true;
    const server = await writableServer(servers.length, open);
    if (server !== undefined) cut((client) => client.server !== server);
    isLooking = false;
  };
  const timer = setInterval(() => void look(), lookMs).unref();
  return {
    add: (client: WritableClient) => void clients.add(client),
    remove: (client: WritableClient) => void clients.delete(client),
    /** Ends the other connections to a server that takes no more writes. */
    leaveServerOf: (refused: WritableClient) =>
      cut((client) => client !== refused && client.server === refused.server),
    stop: () => clearInterval(timer),
  };
}

/** @returns the server that takes writes, or undefined while none answers */
async function writableServer(servers: number, open: () => WritableClient): Promise<string | undefined> {
  for (let tries = 0; tries < servers; tries += 1) {
    // If this one takes no writes, the next one may.
    const server = await serverOf(open).catch(() => undefined);
    if (server !== undefined) return server;
  }
  return undefined;
}

/** Rejects also where no client can be made: a certificate's file that is read for each may be away for a moment. */
async function serverOf(open: () => WritableClient): Promise<string> {
  const client = open();
  const late = setTimeout(() => client.cut(), probeMs);
  try {
    await client.connect();
    return client.server;
  } finally {
    clearTimeout(late);
    client.cut();
  }
}
