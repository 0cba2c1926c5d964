import type { LookupFunction } from 'node:net';
import type { AddressPolicy } from './addresses.ts';
import { type Answer, answerTo } from './answer.ts';
import type { AttemptResult } from './attempt-result.ts';
import { createNameLookup } from './name-lookup.ts';
import { remembered } from './remembered.ts';
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
  const { promise: idle, resolve: becomeIdle } = Promise.withResolvers<void>();
  let underWay = 0;
  let closing: Promise<void> | undefined;
  const closeIfIdle = () => {
    if (closing && underWay === 0) becomeIdle();
  };

  return {
    async send(request) {
      const startedAt = now();
      const durationMs = () => Math.round(now() - startedAt);
      underWay += 1;
      try {
        if (closing) throw new SendFailure('connect', 'sender is closed');
        const answer = await post(request, performance.now() + timeoutMs);
        return { ...answer, outcome: 'answered', durationMs: durationMs() };
      } catch (error) {
        const { stage, message } = SendFailure.from(error, 'response');
        return { outcome: 'failed', stage, error: message, durationMs: durationMs() };
      } finally {
        underWay -= 1;
        closeIfIdle();
      }
    },
    close() {
      closing ??= idle.then(close);
      closeIfIdle();
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
      const { origin, path } = targetOf(url);
      const release = await slots.take(origin);
      if (release === null) throw new SendFailure('timeout', 'no free connection in time');
      const request = { origin, path, method: 'POST', headers, body };
      try {
        return await answerTo(agent, request, { withinMs: deadline - performance.now(), maxResponseBytes });
      } finally {
        release();
      }
    },
    close: () => agent.close(),
  };
}

/** The URL to call; whether its host is allowed is for the connector to judge. */
const targetOf = remembered((url) => {
  const target = URL.parse(url);
  if (target === null) throw new SendFailure('url', 'not a URL');
  const { protocol, origin, pathname, search, username, password } = target;
  if (!/^https?:$/.test(protocol)) throw new SendFailure('url', 'not an http or https URL');
  if (username !== '' || password !== '') throw new SendFailure('url', 'user or password in URL');
  return { origin, path: pathname + search };
});
