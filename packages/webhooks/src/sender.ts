import type { LookupFunction } from 'node:net';
import type { AddressPolicy } from './addresses.ts';
import { type Answer, answerTo } from './answer.ts';
import type { AttemptResult } from './attempt-result.ts';
import { createNameLookup } from './name-lookup.ts';
import { SendFailure } from './send-failure.ts';
import { createSlots } from './slots.ts';
import { vettedAgent } from './vetted-agent.ts';

export const DEFAULT_TIMEOUT_MS = 15_000;
export const DEFAULT_MAX_RESPONSE_BYTES = 16_384;

export interface SenderOptions {
  policy: AddressPolicy;
  /** From the call to the last byte of the answer, waiting for a free connection included. */
  timeoutMs?: number;
  /** Of the answer's body; the rest is cut off. */
  maxResponseBytes?: number;
  /** Connections, and so requests at a time, to one scheme, host and port. */
  connectionsPerOrigin: number;
  /** A monotonic clock in milliseconds, for durations. */
  now?: () => number;
  /** Resolves names, in the shape of `dns.lookup`; the policy judges its answers. `createNameLookup()` when absent. */
  lookup?: LookupFunction;
}

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface Sender {
  /** Makes at most one POST and says what came of it, within `timeoutMs`. Never rejects. */
  send(request: WebhookRequest): Promise<AttemptResult>;
  /** Refuses new requests, lets those under way finish, and closes all connections. */
  close(): Promise<void>;
}

/**
 * The one way out for webhooks: POST to addresses the policy allows and no others, with no redirects and no
 * proxy, under one total deadline, reading a bounded part of the answer.
 */
export function createSender(options: SenderOptions): Sender {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, now = () => performance.now() } = options;
  const { post, close } = outlet({ ...options, timeoutMs });
  const underWay = new Set<Promise<AttemptResult>>();
  let closing: Promise<void> | undefined;

  return {
    async send(request) {
      const attempt = timed(now, () =>
        closing
          ? Promise.reject(new SendFailure('connect', 'sender is closed'))
          : post(request, performance.now() + timeoutMs),
      );
      underWay.add(attempt);
      return attempt.finally(() => underWay.delete(attempt));
    },
    close() {
      closing ??= Promise.all(underWay).then(close);
      return closing;
    },
  };
}

interface Outlet {
  /** @param deadline when it is to be over, on the clock of `performance.now()` */
  post(request: WebhookRequest, deadline: number): Promise<Answer>;
  close(): Promise<void>;
}

function outlet(options: SenderOptions & { timeoutMs: number }): Outlet {
  const { policy, timeoutMs, connectionsPerOrigin, lookup = createNameLookup() } = options;
  const { maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES } = options;
  const agent = vettedAgent({ policy, lookup, timeoutMs, connectionsPerOrigin });
  // Waiting happens here and not in undici's queue, which a request can't leave: what has timed out there
  // would still take, and break, a fresh connection of its receiver. Whoever gets a connection has at least
  // the other half of the time for its answer.
  const slots = createSlots({ perKey: connectionsPerOrigin, maxWaitMs: timeoutMs / 2 });

  return {
    async post({ url, headers, body }, deadline) {
      const { origin, pathname, search } = targetOf(url);
      const release = await slots.take(origin);
      if (release === null) throw new SendFailure('timeout', 'no free connection in time');
      const request = { origin, path: pathname + search, method: 'POST', headers, body };
      const withinMs = deadline - performance.now();
      return answerTo(agent, request, { withinMs, maxResponseBytes }).finally(release);
    },
    close: () => agent.close(),
  };
}

/** Turns an answer or a failure into the record of the attempt. */
async function timed(now: () => number, run: () => Promise<Answer>): Promise<AttemptResult> {
  const startedAt = now();
  const durationMs = () => Math.round(now() - startedAt);
  try {
    const answer = await run();
    return { outcome: 'answered', ...answer, durationMs: durationMs() };
  } catch (error) {
    const { stage, message } = SendFailure.from(error, 'response');
    return { outcome: 'failed', stage, error: message, durationMs: durationMs() };
  }
}

/** The URL to call; whether its host is allowed is for the connector to judge. */
function targetOf(url: string): URL {
  const target = URL.parse(url);
  if (target === null) throw new SendFailure('url', 'not a URL');
  const { protocol, username, password } = target;
  if (!/^https?:$/.test(protocol)) throw new SendFailure('url', 'not an http or https URL');
  if (username !== '' || password !== '') throw new SendFailure('url', 'user or password in URL');
  return target;
}
