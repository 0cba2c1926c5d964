import { ApiError, ConnectionError } from './errors.ts';
import { pause } from './pause.ts';
import { pauseBefore } from './retry.ts';

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
  const hasBody = body !== undefined;
  try {
    const response = await fetch(`${baseUrl.replace(/(?<!\/)\/+$/, '')}${path}`, {
      method,
      headers: { authorization, ...(hasBody && { 'content-type': 'application/json' }), ...headers },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      ...(hasBody && { body: JSON.stringify(body) }),
    });
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
  const retryAfter = Number(headers.get('retry-after') ?? Number.NaN);
  return new ApiError(status, messageIn(text) ?? `${status} ${statusText}`.trim(), {
    code: headers.get('error-code') ?? undefined,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfter: Number.isFinite(retryAfter) ? retryAfter : undefined,
  });
}

function messageIn(text: string): string | undefined {
  try {
    const { message } = JSON.parse(text) as { message?: unknown };
    return typeof message === 'string' ? message : undefined;
  } catch {
    return undefined;
  }
}
