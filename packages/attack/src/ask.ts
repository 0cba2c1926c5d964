import { count, type Observations } from './observations.ts';

/** An answer, or none: then it is not known whether anything happened. */
export type Answer<Body> =
  | { status: number; body: Body; from: number; to: number }
  | { status: null; body: undefined; from: number; to: number };

export type Request = {
  token?: string;
  body?: unknown;
  headers?: Record<string, string>;
  timeoutMs?: number;
};

export type Ask = <Body>(what: string, url: string, request?: Request) => Promise<Answer<Body>>;

const patienceMs = 15_000;

/**
 * Asks as a client does, a connection a request, and keeps observations of answers that no client should have to see: none
 * at all, or a 5xx. Whether a fault excuses them is judged in the end.
 */
export function asker(observations: Observations): Ask {
  return async <Body>(what: string, url: string, request: Request = {}): Promise<Answer<Body>> => {
    const from = Date.now();
    const started = performance.now();
    const fail = (status: number | null, says: string) =>
      observations.failures.push({ what, from, to: Date.now(), status, says });
    try {
      const response = await fetch(url, {
        method: request.body === undefined ? 'GET' : 'POST',
        headers: headersOf(request),
        ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
        signal: AbortSignal.timeout(request.timeoutMs ?? patienceMs),
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
