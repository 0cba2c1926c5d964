import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { webhookFailures } from './openapi/judge.ts';
import { assertDocumented } from './openapi/watch.ts';
import { patienceMs } from './patience.ts';

export type Received = { method: string; path: string; headers: IncomingHttpHeaders; body: string };

/** The receiver's response, when `after` has come and after `delayMs`; `undefined` for no response. */
export type Answer =
  | {
      status: number;
      headers?: Record<string, string>;
      body?: string;
      after?: Promise<unknown>;
      delayMs?: number;
    }
  | undefined;

export type Receiver = {
  url: string;
  /** Every request, in order of arrival. */
  received: Received[];
  /** The first request, past or future, for which `matches` holds. @throws AbortError if none comes within `waitMs` */
  waitFor(matches: (request: Received) => boolean, waitMs?: number): Promise<Received>;
  /** Resolves when `count` requests have arrived. */
  waitForCount(count: number): Promise<Received[]>;
  /** Changes the responses to later requests. */
  answerWith(answer: (request: Received) => Answer): void;
  close(): Promise<void>;
};

/** A store's webhook receiver on 127.0.0.1; it responds 200 by default. */
export async function startReceiver(
  options: { answer?: (request: Received) => Answer; port?: number } = {},
): Promise<Receiver> {
  const received: Received[] = [];
  const undocumented = new Set<string>();
  const arrivals = new EventEmitter<{ arrived: [] }>().setMaxListeners(0);
  let answer = options.answer ?? ((): Answer => ({ status: 200 }));
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const seen = { method, path, headers, body: await text(request) };
    received.push(seen);
    if ('webhook-id' in headers) {
      for (const failure of webhookFailures(headers, seen.body)) undocumented.add(`webhook: ${failure}`);
    }
    const reply = answer(seen);
    arrivals.emit('arrived');
    if (reply === undefined) return;
    await reply.after;
    setTimeout(() => response.writeHead(reply.status, reply.headers).end(reply.body), reply.delayMs ?? 0);
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');

  const until = async <Found>(find: () => Found | undefined, waitMs = patienceMs): Promise<Found> => {
    const signal = AbortSignal.timeout(waitMs);
    for (;;) {
      const found = find();
      if (found !== undefined) return found;
      await once(arrivals, 'arrived', { signal });
    }
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhook`,
    received,
    waitFor: (matches, waitMs) => until(() => received.find(matches), waitMs),
    waitForCount: (count) => until(() => (received.length >= count ? received : undefined)),
    answerWith: (next) => {
      answer = next;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
      assertDocumented(undocumented);
    },
  };
}
