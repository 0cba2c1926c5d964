import { setTimeout as sleep } from 'node:timers/promises';
import type { Breaker } from './breaker.ts';
import { PixRefused, PixUnavailable } from './errors.ts';
import { readProblem } from './problem.ts';
import type { Tokens } from './token.ts';
import type { HttpAnswer, HttpMethod, HttpRequest, Transport } from './transport.ts';
import type { PixCall } from './types.ts';

/** One operation of the API Pix, by its path below the base. */
export type Operation = {
  name: string;
  method: HttpMethod;
  path: string;
  body?: unknown;
  /** Doing it twice does no harm, so one failure is followed by another try. */
  repeatable: boolean;
  /** 404 is an answer, not a refusal. */
  mayBeMissing?: boolean;
  /** What must not be repeated in an error, besides the token. */
  secrets?: string[];
};

export type CallerOptions = {
  url: string;
  transport: Transport;
  tokens: Tokens;
  breaker: Breaker;
  timeoutMs: number;
  onCall: (call: PixCall) => void;
};

const REPETITIONS = 1;

/** Runs operations: breaker, token, time-out, and a repetition where it is safe. Throws as PixClient does. */
export function createCaller(options: CallerOptions) {
  return async function call(operation: Operation): Promise<HttpAnswer> {
    const signal = AbortSignal.timeout(options.timeoutMs);
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await guarded(options, operation, signal);
      } catch (error) {
        if (attempt >= REPETITIONS || !worthRepeating(operation, error)) throw error;
        await pause(signal, error);
      }
    }
  };
}

/** 429 asks for less, not for more; after a time-out no time is left. */
function worthRepeating(operation: Operation, error: unknown): boolean {
  if (!operation.repeatable || !(error instanceof PixUnavailable)) return false;
  return error.reason === 'network' || (error.reason === 'status' && error.status !== 429);
}

async function pause(signal: AbortSignal, error: unknown): Promise<void> {
  try {
    await sleep(50 + Math.random() * 100, undefined, { signal });
  } catch {
    throw error;
  }
}

async function guarded(
  options: CallerOptions,
  operation: Operation,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const admission = options.breaker.admit();
  if (!admission) {
    options.onCall({ operation: operation.name, outcome: 'short-circuited', durationMs: 0 });
    throw new PixUnavailable(operation.name, 'breaker-open');
  }
  try {
    const answer = await authorized(options, operation, signal);
    admission.succeeded();
    return answer;
  } catch (error) {
    if (error instanceof PixUnavailable) admission.failed();
    else admission.succeeded();
    throw error;
  }
}

/** A 401 means that the PSP forgot the token before its time: once, and only once, with a new one. */
async function authorized(
  options: CallerOptions,
  operation: Operation,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const token = await withinTime(operation.name, options.tokens.get(), signal);
  try {
    return await exchange(options, operation, token, signal);
  } catch (error) {
    if (!(error instanceof PixRefused) || error.status !== 401) throw error;
    options.tokens.discard(token);
    const fresh = await withinTime(operation.name, options.tokens.get(), signal);
    return exchange(options, operation, fresh, signal);
  }
}

function exchange(options: CallerOptions, operation: Operation, token: string, signal: AbortSignal) {
  const request: HttpRequest = {
    method: operation.method,
    url: options.url + operation.path,
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, application/problem+json',
      ...(operation.body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(operation.body !== undefined && { body: JSON.stringify(operation.body) }),
  };
  const rules = {
    mayBeMissing: operation.mayBeMissing ?? false,
    secrets: [token, ...(operation.secrets ?? [])],
  };
  return judged(options, operation.name, rules, () =>
    options.transport.send(operation.name, request, signal),
  );
}

/** Sends, reports the call, and turns a status into an answer or an error. */
export async function judged(
  options: Pick<CallerOptions, 'onCall'>,
  name: string,
  rules: { mayBeMissing: boolean; secrets: string[] },
  send: () => Promise<HttpAnswer>,
): Promise<HttpAnswer> {
  const started = performance.now();
  const report = (outcome: PixCall['outcome'], status?: number) =>
    options.onCall({
      operation: name,
      outcome,
      durationMs: performance.now() - started,
      ...(status !== undefined && { status }),
    });
  const answer = await send().catch((error: unknown) => {
    report('unavailable');
    throw error;
  });
  const outcome = outcomeOf(answer, rules.mayBeMissing);
  report(outcome, answer.status);
  if (outcome === 'unavailable') {
    throw new PixUnavailable(name, 'status', String(answer.status), answer.status);
  }
  if (outcome === 'refused') {
    const problem = readProblem(answer.body, rules.secrets);
    throw new PixRefused(name, answer.status, problem.type, problem.detail);
  }
  return answer;
}

function outcomeOf({ status, body }: HttpAnswer, mayBeMissing: boolean): 'ok' | 'refused' | 'unavailable' {
  if (status >= 200 && status < 300) return 'ok';
  // A gateway's page says that it found no bank, not that the bank found no charge.
  if (status === 404 && mayBeMissing) return typeof body === 'string' ? 'unavailable' : 'ok';
  return status >= 400 && status < 500 && status !== 408 && status !== 429 ? 'refused' : 'unavailable';
}

/** A token is fetched for everybody; this caller waits no longer than its own time. */
async function withinTime<T>(name: string, promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let late = () => {};
  const end = new Promise<never>((_, reject) => {
    late = () => reject(new PixUnavailable(name, 'timeout', 'token'));
    signal.addEventListener('abort', late, { once: true });
    if (signal.aborted) late();
  });
  try {
    return await Promise.race([promise, end]);
  } finally {
    signal.removeEventListener('abort', late);
  }
}
