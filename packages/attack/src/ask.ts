import { count, type Observations } from './observations.ts';
import type { BankId } from './system/banks.ts';

/** A response, or none: then nobody knows whether anything happened. */
export type Answer<Body> =
  | { status: number; body: Body; from: number; to: number }
  | { status: null; body: undefined; from: number; to: number };

type Request = { token?: string | undefined; body?: unknown; headers?: Record<string, string> };

/** The clients of each side; `what` names the kind of request in failures and figures. */
export type Clients = {
  api<Body>(what: string, path: string, request: Request): Promise<Answer<Body>>;
  /** With the administrators' key. */
  admin<Body>(
    what: string,
    path: string,
    body?: unknown,
    headers?: Request['headers'],
  ): Promise<Answer<Body>>;
  bank<Body>(id: BankId, what: string, path: string, body?: unknown): Promise<Answer<Body>>;
};

// Longer than the service's own time-outs: no verdict hangs on how fast this machine is.
const patienceMs = 30_000;

export function clientsOf(
  observations: Observations,
  { url, adminUrl, bankUrls }: { url: string; adminUrl: string; bankUrls: Record<BankId, string> },
  adminKey: string,
): Clients {
  const ask = askerFor(observations);
  return {
    api: (what, path, request) => ask(what, url + path, request),
    admin: (what, path, body, headers = {}) => ask(what, adminUrl + path, { token: adminKey, body, headers }),
    bank: (id, what, path, body) => ask(what, bankUrls[id] + path, { body }),
  };
}

/**
 * Sends each request on a new connection, and records missing responses and 5xx. The verdict decides whether a fault
 * excuses them.
 */
function askerFor(observations: Observations) {
  return async <Body>(what: string, url: string, request: Request): Promise<Answer<Body>> => {
    const from = Date.now();
    const started = performance.now();
    observations.waiting += 1;
    const fail = (status: number | null, says: string) =>
      observations.failures.push({ what, from, to: Date.now(), status, says });
    try {
      const response = await fetch(url, {
        method: request.body === undefined ? 'GET' : 'POST',
        headers: headersOf(request),
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        signal: AbortSignal.timeout(patienceMs),
      });
      const text = await response.text();
      const { status } = response;
      if (status >= 500) fail(status, text.slice(0, 200));
      else {
        observations.answered += 1;
        observations.latencies.push({ what, at: from, ms: performance.now() - started });
      }
      count(observations, `answered ${status}`);
      return { status, body: parsed(text) as Body, from, to: Date.now() };
    } catch (error) {
      fail(null, reasonOf(error));
      return { status: null, body: undefined, from, to: Date.now() };
    } finally {
      observations.waiting -= 1;
    }
  };
}

function headersOf({ token, body, headers = {} }: Request): Record<string, string> {
  return {
    connection: 'close',
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...(token !== undefined && { authorization: `Bearer ${token}` }),
    ...headers,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { code?: string; message?: string } };
  return `${message}${cause ? `: ${cause.code ?? cause.message}` : ''}`;
}
