import { setTimeout as sleep } from 'node:timers/promises';
import type { Addressing, Place } from './addressing.ts';
import { UnreadableAnswer } from './answers.ts';
import type { Breaker } from './breaker.ts';
import { PixRefused, PixUnavailable } from './errors.ts';
import { exchange } from './exchange.ts';
import type { Pacer, Urgency } from './pacer.ts';
import type { AnswerPattern } from './profiles/profile.ts';
import type { Tokens } from './token.ts';
import type { HttpAnswer, HttpMethod, HttpRequest, Transport } from './transport.ts';
import type { PixCall } from './types.ts';

/** One operation of the API Pix. */
export type Operation = {
  name: string;
  method: HttpMethod;
  /** One of the bank's paths; `rest` follows it. */
  at: Place;
  rest: string;
  body?: unknown;
  /** Doing it twice does no harm, so it is repeated once after a failure. */
  repeatable: boolean;
  /** Responses that say that there is no such thing: no refusals, whatever their status. */
  accepts?: readonly AnswerPattern[];
  /** Its priority where the bank limits calls. */
  urgency: Urgency;
  /** The breaker in which this call counts. */
  breaker?: keyof Breakers;
  /** One entry of a list that was answered. A status or silence for it says nothing of the PSP. */
  isPart?: boolean;
  /** Texts, besides the token, that an error must not contain. */
  secrets?: string[];
};

/** An operation whose response is read; a response that `read` can't use (UnreadableAnswer) is a PixUnavailable. */
export type Reading<T> = Operation & {
  read: (answer: HttpAnswer) => T;
  /** An unusable response says that the PSP fails. Without this, it says that only of one charge, Pix or refund. */
  mustBeUsable?: boolean;
};

/**
 * Each kind of call fails by itself. A bank that can't list, or limits lists, still accepts charges and refunds. A bank
 * that accepts no new charges still shows old ones, and these successes must not close the breaker of new charges.
 */
export type Breakers = { creations: Breaker; lists: Breaker; others: Breaker };

export type CallerOptions = {
  addressing: Addressing;
  pace: Pacer;
  /** Refusals of our credentials or permissions. */
  denied: readonly AnswerPattern[];
  transport: Transport;
  tokens: Tokens;
  breakers: Breakers;
  timeoutMs: number;
  onCall: (call: PixCall) => void;
};

/** Runs operations: breaker, token, time-out, and one repetition where it is safe. Throws as PixClient does. */
export function createCaller(options: CallerOptions) {
  return function call<T>(operation: Reading<T>, timeoutMs = options.timeoutMs): Promise<T> {
    return withDeadline(timeoutMs, (signal) => calledAgainIfSafe(options, operation, signal));
  };
}

async function calledAgainIfSafe<T>(
  options: CallerOptions,
  operation: Reading<T>,
  signal: AbortSignal,
): Promise<T> {
  try {
    return await guarded(options, operation, signal);
  } catch (error) {
    if (!worthRepeating(operation, error) || !(await paused(signal))) throw error;
    // This call was sent. The breaker has opened since, and its error means that nothing was sent.
    if (breakerOf(options, operation).state() !== 'closed') throw error;
    return await guarded(options, operation, signal).catch((second: unknown) => {
      // The repetition was not sent, but the first try was.
      throw second instanceof PixUnavailable && second.isNotAsked ? error : second;
    });
  }
}

function breakerOf({ breakers }: CallerOptions, { breaker = 'others' }: Operation): Breaker {
  return breakers[breaker];
}

/** After a 429 the bank wants fewer calls. After a time-out no time is left. */
function worthRepeating(operation: Operation, error: unknown): boolean {
  if (!operation.repeatable || !(error instanceof PixUnavailable)) return false;
  return error.reason === 'network' || (error.reason === 'status' && error.status !== 429);
}

/** False if the time ended during the pause. */
async function paused(signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(50 + Math.random() * 100, undefined, { signal });
    return true;
  } catch {
    return false;
  }
}

async function guarded<T>(options: CallerOptions, operation: Reading<T>, signal: AbortSignal): Promise<T> {
  const breaker = breakerOf(options, operation);
  const admission = breaker.admit();
  if (!admission) {
    options.onCall({ operation: operation.name, outcome: 'short-circuited', durationMs: 0 });
    throw new PixUnavailable(operation.name, 'breaker-open');
  }
  try {
    const answer = readOf(operation, await authorized(options, operation, signal));
    admission.succeeded();
    return answer;
  } catch (error) {
    if (isOfTheRequest(operation, error)) admission.succeeded();
    // A call that says nothing of the PSP is no success or failure of it. But a probe must end, or no other would follow.
    else if (!saysNothing(operation, error) || breaker.state() === 'half-open')
      admission.failed(error as Error);
    throw error;
  }
}

function readOf<T>({ name, read }: Reading<T>, answer: HttpAnswer): T {
  try {
    return read(answer);
  } catch (error) {
    if (!(error instanceof UnreadableAnswer)) throw error;
    throw new PixUnavailable(name, 'unreadable', error.message, answer.status);
  }
}

/**
 * A refusal is no failure of the PSP, and one odd charge is none. But a PSP that refuses our credentials accepts no
 * charges.
 */
function isOfTheRequest({ breaker, mustBeUsable }: Reading<unknown>, error: unknown): boolean {
  if (error instanceof PixUnavailable) return error.reason === 'unreadable' && !mustBeUsable;
  return !(breaker === 'creations' && error instanceof PixRefused && error.aboutAccess);
}

/** True for a call that was not sent, and for a part that is not answered. */
function saysNothing({ isPart = false }: Operation, error: unknown): boolean {
  if (!(error instanceof PixUnavailable)) return false;
  return error.isNotAsked || (isPart && error.reason !== 'network' && error.status !== 429);
}

/**
 * A 401 may mean that the PSP forgot the token before its time. The call is repeated as long as there is another one. A
 * refused call did nothing, so this is safe for every operation.
 */
async function authorized(
  options: CallerOptions,
  operation: Operation,
  signal: AbortSignal,
): Promise<HttpAnswer> {
  const { tokens } = options;
  let token = await withinTime(operation.name, tokens.get(), signal);
  for (;;) {
    try {
      const answer = await send(options, operation, token, signal);
      tokens.served(operation.name);
      return answer;
    } catch (error) {
      if (!(error instanceof PixRefused) || error.status !== 401) throw error;
      const other = await withinTime(operation.name, tokens.replace(token, operation), signal);
      if (other === null) throw error;
      token = other;
    }
  }
}

async function send(options: CallerOptions, operation: Operation, token: string, signal: AbortSignal) {
  await options.pace(operation.name, operation.urgency, signal);
  const request = requestOf(options.addressing, operation, token);
  return exchange({
    name: operation.name,
    accepts: operation.accepts ?? [],
    denied: options.denied,
    secrets: [token, ...(operation.secrets ?? [])],
    send: () => options.transport.send(operation.name, request, signal),
    onCall: options.onCall,
  });
}

function requestOf(
  addressing: Addressing,
  { method, at, rest, body }: Operation,
  token: string,
): HttpRequest {
  const headers = {
    ...addressing.headers(),
    authorization: `Bearer ${token}`,
    accept: 'application/json, application/problem+json',
  };
  const address = addressing.address(at, rest);
  if (body === undefined) return { method, ...address, headers };
  const more = at === 'callback' ? addressing.callbackHeaders() : {};
  return {
    method,
    ...address,
    headers: { ...headers, ...more, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/** Waits for shared work, but no longer than this caller's time. PixUnavailable when that is over. */
export async function withinTime<T>(name: string, promise: Promise<T>, signal: AbortSignal): Promise<T> {
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

/**
 * Runs with a signal that aborts after `timeoutMs`. `AbortSignal.timeout` would keep its timer after the call has ended.
 */
export async function withDeadline<Result>(
  timeoutMs: number,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const deadline = new AbortController();
  const timer = setTimeout(() => deadline.abort(), timeoutMs);
  return run(deadline.signal).finally(() => clearTimeout(timer));
}
