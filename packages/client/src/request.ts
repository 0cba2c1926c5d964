import { ApiError, ConnectionError } from './errors.ts';

const firstPauseMs = 250;
const longestPauseMs = 8_000;
// The longest `Retry-After` that is obeyed.
const longestRetryAfterSeconds = 60;

/**
 * Decides whether and when a failed request is sent again. All requests may be: reads change nothing, creations and
 * refunds carry a key, and a cancellation looks what a try before it did.
 * @param failures the number of failures, including this one
 * @param chance from 0 to 1, so that clients that failed together don't retry together
 * @returns milliseconds to wait, or undefined to give up
 */
export function pauseBefore(
  error: unknown,
  { failures, retries, chance }: { failures: number; retries: number; chance: number },
): number | undefined {
  if (failures > retries || !isPassing(error)) return undefined;
  const pause = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs) * (0.5 + chance / 2);
  const asked = error instanceof ApiError ? (error.retryAfter ?? 0) : 0;
  return asked > longestRetryAfterSeconds ? undefined : Math.max(pause, asked * 1_000);
}

function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  return error instanceof ApiError && (error.statusCode >= 500 || [408, 429].includes(error.statusCode));
}

export type Transport = {
  baseUrl: string;
  token: string | (() => string | Promise<string>);
  /** For one attempt, up to the response's last byte. */
  timeoutMs: number;
  /** Attempts after the first. */
  retries: number;
  fetch: typeof globalThis.fetch;
};

export type Request = {
  method: 'GET' | 'POST';
  path: string;
  headers?: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal | undefined;
  /** @returns the response for an error of a repeat, whose cause is that a try before it was carried out */
  doneBefore?: (error: unknown) => Promise<unknown>;
};

/**
 * Sends a request, and repeats it if that may help.
 * @throws ApiError, ConnectionError; the signal's reason if the caller aborts
 */
export async function send<Body>(transport: Transport, request: Request): Promise<Body> {
  for (let failures = 1; ; failures += 1) {
    try {
      return (await attempt(transport, request)) as Body;
    } catch (error) {
      request.signal?.throwIfAborted();
      const done = failures > 1 ? await request.doneBefore?.(error) : undefined;
      if (done !== undefined) return done as Body;
      const ms = pauseBefore(error, { failures, retries: transport.retries, chance: Math.random() });
      if (ms === undefined) throw error;
      await pause(ms, request.signal);
    }
  }
}

async function attempt(
  transport: Transport,
  { method, path, headers, body, signal }: Request,
): Promise<unknown> {
  const { baseUrl, token, timeoutMs, fetch } = transport;
  const authorization = `Bearer ${typeof token === 'function' ? await token() : token}`;
  const timeout = AbortSignal.timeout(timeoutMs);
  const url = `${baseUrl.replace(/(?<!\/)\/+$/, '')}${path}`;
  const hasBody = body !== undefined;
  // A request that can't be made is the program's mistake, and no retry mends it: so it is made outside of the attempt.
  const init: RequestInit = {
    method,
    headers: new Headers({
      authorization,
      ...(hasBody && { 'content-type': 'application/json' }),
      ...headers,
    }),
    // Fetch would follow a redirected creation as a read, whose list would pass for the payment.
    redirect: 'manual',
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    ...(hasBody && { body: JSON.stringify(body) }),
  };
  try {
    const response = await fetch(url, init);
    const text = await response.text();
    if (!response.ok) throw apiError(response, text);
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof ApiError) throw error;
    const what = timeout.aborted ? `no response within ${timeoutMs} ms` : 'no response';
    throw new ConnectionError(`${method} ${path}: ${what}`, { cause: error });
  }
}

/** A proxy in front of the service may respond in another form. */
function apiError({ status, statusText, headers }: Response, text: string): ApiError {
  return new ApiError(status, messageIn(text) ?? `${status} ${statusText}`.trim(), {
    code: headers.get('error-code') ?? undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: secondsOf(headers.get('retry-after') ?? ''),
  });
}

/** Reads `Retry-After`: seconds, or a date, as proxies send. */
function secondsOf(retryAfter: string): number | undefined {
  if (/^\d+$/.test(retryAfter)) return Number(retryAfter);
  const ms = Date.parse(retryAfter) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms / 1_000);
}

function messageIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Waits.
 * @throws the signal's reason if it is aborted meanwhile
 */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
