import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { StartError } from '../start-error.ts';
import { describeBody, describeWebhook, judgeWebhook } from './judge.ts';
import type { ListenOptions } from './options.ts';

export type Listener = { url: string; close(): Promise<void> };

type Answering = Omit<ListenOptions, 'secret'> & { secret: string };

const largestBody = 1_048_576;

/**
 * Receives webhooks on loopback, prints the result of each, and responds as configured.
 * @throws StartError if the port is in use
 */
export async function startListener(options: Answering, say: (line: string) => void): Promise<Listener> {
  const seen = new Map<string, number>();
  let webhooks = 0;
  const server = createServer(async (request, response) => {
    const body = await bodyOf(request);
    if (request.method !== 'POST' || body === undefined) {
      say(`${request.method} ${request.url} is no webhook: it is answered 405`);
      return answer(response, 405);
    }
    const judged = await judgeWebhook(options.secret, body, request.headers);
    if (!judged.ok) {
      say(`NOT VERIFIED: ${judged.reason}. It is answered 401`);
      return answer(response, 401);
    }
    webhooks += 1;
    const times = (seen.get(judged.id) ?? 0) + 1;
    seen.set(judged.id, times);
    const status = webhooks <= options.failFirst ? 500 : options.status;
    const after = options.delayMs > 0 ? ` after ${options.delayMs / 1_000} s` : '';
    say(`${describeWebhook(judged, times)}  verified; answered ${status}${after}`);
    if (options.body) say(describeBody(judged.event));
    setTimeout(() => answer(response, status), options.delayMs);
  });
  await listen(server, options.port);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server, port: number) {
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE';
    throw taken ? new StartError(`port ${port} is taken: give another with --port`) : error;
  }
}

/** @returns undefined for a body that is too large or breaks off */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += chunk.length;
      if (size > largestBody) return undefined;
      chunks.push(chunk);
    }
  } catch {
    return undefined;
  }
  return Buffer.concat(chunks).toString('utf8');
}

function answer(response: ServerResponse, status: number) {
  if (!response.destroyed) response.writeHead(status).end();
}
