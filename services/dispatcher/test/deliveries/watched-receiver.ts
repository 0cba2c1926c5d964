import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { WebhookBody } from '@payments/testing/answers';
import { patienceMs } from '@payments/testing/patience';
import type { Test } from 'tap';

/** One POST as the receiver saw it; times are epoch milliseconds. */
export type Visit = {
  id: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  json: WebhookBody;
  arrivedAt: number;
  /** The response's status. */
  status?: number;
  /** When the response was sent or the connection ended; undefined while in flight. */
  endedAt?: number;
};

export type Reply = {
  status?: number;
  headers?: Record<string, string>;
  body?: string;
  delayMs?: number;
  /** The response waits for it. */
  after?: Promise<unknown>;
  /** Sends no response, or ends the connection. */
  instead?: 'hang' | 'reset';
};

export type WatchedReceiver = {
  /** Its URL with this path. */
  at(path: string): string;
  /** In order of arrival. */
  visits: Visit[];
  of(payment: { id: string }): Visit[];
  /** The most concurrent requests, of all or of one kind. */
  mostAtOnce(kind?: (visit: Visit) => string): number;
  answerWith(answer: (visit: Visit) => Reply): void;
  /** Resolves when `holds` is true, checked at every arrival and end. */
  until(holds: () => boolean): Promise<void>;
};

/** A receiver on loopback that records the times of every request; it responds 200 by default. */
export async function watchReceiver(t: Pick<Test, 'teardown'>): Promise<WatchedReceiver> {
  const visits: Visit[] = [];
  const changes = new EventEmitter<{ changed: [] }>().setMaxListeners(0);
  let answer = (_visit: Visit): Reply => ({});
  const server = createServer(async (request, response) => {
    const arrivedAt = Date.now();
    const body = await text(request);
    const { headers, url: path = '' } = request;
    const id = String(headers['webhook-id']);
    const visit: Visit = { id, path, headers, body, json: JSON.parse(body), arrivedAt };
    visits.push(visit);
    const end = () => {
      visit.endedAt ??= Date.now();
      changes.emit('changed');
    };
    // A sender that hangs up is known before its next request; the response closes a moment later.
    request.socket.once('end', end);
    response.on('close', () => {
      request.socket.off('end', end);
      end();
    });
    const { status = 200, headers: sent, body: told, delayMs = 0, after, instead } = answer(visit);
    if (!instead) visit.status = status;
    changes.emit('changed');
    if (instead === 'reset') request.socket.resetAndDestroy();
    else if (instead !== 'hang') {
      await after;
      setTimeout(() => {
        visit.endedAt ??= Date.now();
        response.writeHead(status, sent).end(told);
      }, delayMs);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return {
    at: (path) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
    visits,
    of: ({ id }) => visits.filter(({ json }) => json.id === id),
    mostAtOnce: (kind = () => '') => mostAtOnce(visits, kind),
    answerWith: (next) => {
      answer = next;
    },
    until: async (holds) => {
      const signal = AbortSignal.timeout(patienceMs);
      while (!holds()) await once(changes, 'changed', { signal });
    },
  };
}

function mostAtOnce(visits: readonly Visit[], kind: (visit: Visit) => string): number {
  const overlapping = (one: Visit) =>
    visits.filter(
      (other) =>
        kind(other) === kind(one) &&
        other.arrivedAt <= one.arrivedAt &&
        (other.endedAt ?? Number.POSITIVE_INFINITY) > one.arrivedAt,
    ).length;
  return Math.max(0, ...visits.map(overlapping));
}

/** The first visit of each delivery, in order of arrival. */
export function firstVisits(visits: readonly Visit[]): Visit[] {
  const seen = new Set<string>();
  return visits.filter(({ id }) => !seen.has(id) && seen.add(id));
}
