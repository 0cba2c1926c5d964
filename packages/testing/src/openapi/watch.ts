import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, OutgoingHttpHeaders, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Listener } from './document.ts';
import { answerFailures } from './judge.ts';

type Exchange = { request: IncomingMessage; response: ServerResponse; server: Server };
type Watch = { listener: Listener; tell: (failure: string) => void };

const watched = new Map<number, Watch>();
let isSubscribed = false;
const shownAtMost = 10;

/** Begins an output line about a departure from the documents. */
export const undocumentedMark = 'not as documented: ';

/**
 * Compares every later response of this process's listener with its OpenAPI document.
 * @param tell called with each departure
 */
export function watchAnswers(port: number, listener: Listener, tell: (failure: string) => void): void {
  watched.set(port, { listener, tell });
  if (!isSubscribed) subscribe('http.server.request.start', (message) => onRequest(message as Exchange));
  isSubscribed = true;
}

function onRequest({ request, response, server }: Exchange): void {
  const watch = watched.get((server.address() as AddressInfo | null)?.port ?? 0);
  if (!watch) return;
  const body = bodyOf(response);
  const headers = headersOf(response);
  const { method = '', url: path = '' } = request;
  response.on('finish', () => {
    const { listener, tell } = watch;
    // Node sends no body in response to HEAD.
    const answer = { listener, method, path, status: response.statusCode, headers: headers() };
    for (const failure of answerFailures({ ...answer, body: method === 'HEAD' ? '' : body() })) tell(failure);
  });
}

/** Captures headers passed to `writeHead`, which Node does not keep. */
function headersOf(response: ServerResponse): () => OutgoingHttpHeaders {
  const given: OutgoingHttpHeaders = {};
  const original = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse;
  response.writeHead = (...args: unknown[]) => {
    Object.assign(
      given,
      args.find((arg) => typeof arg === 'object'),
    );
    return original(...args);
  };
  return () => ({ ...response.getHeaders(), ...given });
}

/** Captures the written body. */
function bodyOf(response: ServerResponse): () => string {
  const chunks: Buffer[] = [];
  const keep = (chunk: unknown) => {
    if (typeof chunk === 'string') chunks.push(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) chunks.push(Buffer.from(chunk));
  };
  for (const name of ['write', 'end'] as const) {
    const original = response[name].bind(response) as (...args: unknown[]) => never;
    response[name] = (...args: unknown[]) => {
      keep(args[0]);
      return original(...args);
    };
  }
  return () => Buffer.concat(chunks).toString('utf8');
}

/** @throws an error if a response departed from the OpenAPI documents */
export function assertDocumented(failures: Iterable<string>): void {
  const told = [...failures];
  if (told.length === 0) return;
  const more = told.length > shownAtMost ? [`… and ${told.length - shownAtMost} more`] : [];
  throw new Error(['not as documented:', ...told.slice(0, shownAtMost), ...more].join('\n'));
}
