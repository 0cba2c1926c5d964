import type { LookupFunction } from 'node:net';
import { Agent } from 'undici';
import type { AddressPolicy } from './addresses.ts';
import { type Answer, answerTo } from './answer.ts';
import type { AttemptResult } from './attempt-result.ts';
import { createNameLookup } from './name-lookup.ts';
import { SendFailure } from './send-failure.ts';
import { createSlots } from './slots.ts';
import { vettedConnector } from './vetted-connector.ts';

export const DEFAULT_TIMEOUT_MS = 15_000;

/** Idle connections close before most receivers close theirs (5 s and more), which would fail a POST. */
const KEEP_ALIVE_MS = 4_000;
/** Whatever a receiver's `Keep-Alive` header asks for. */
const KEEP_ALIVE_MAX_MS = 30_000;
const MAX_HEADER_BYTES = 16_384;

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
  /** Resolves names, in the shape of `dns.lookup`; its answers are judged by the policy. `createNameLookup()` when absent. */
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
 * The one way out for webhooks: POST over HTTP/1.1 with keep-alive, to addresses the policy allows and no
 * others, with no redirects and no proxy, under one total deadline, reading a bounded part of the answer.
 */
export function createSender(options: SenderOptions): Sender {
  const { policy, connectionsPerOrigin, timeoutMs = DEFAULT_TIMEOUT_MS, maxResponseBytes = 16_384 } = options;
  const { now = () => performance.now(), lookup = createNameLookup() } = options;
  const agent = new Agent({
    connect: vettedConnector({ policy, lookup, timeoutMs }),
    connections: connectionsPerOrigin,
    pipelining: 1,
    allowH2: false,
    useMilo: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Nets below the deadline, which comes first.
    headersTimeout: timeoutMs + 1_000,
    bodyTimeout: timeoutMs + 1_000,
  });
  // Waiting happens here and not in undici's queue, which a request can't leave: what has timed out there
  // would still take, and break, a fresh connection of its receiver. Whoever gets a connection has at least
  // the other half of the time for its answer.
  const slots = createSlots({ perKey: connectionsPerOrigin, maxWaitMs: timeoutMs / 2 });
  const underWay = new Set<Promise<AttemptResult>>();
  let closing: Promise<void> | undefined;

  const post = async ({ url, headers, body }: WebhookRequest, deadline: AbortSignal): Promise<Answer> => {
    if (closing) throw new SendFailure('connect', 'sender is closed');
    const { origin, pathname, search } = target(url, policy);
    const release = await slots.take(origin);
    if (release === null) throw new SendFailure('timeout', 'no free connection in time');
    const request = { origin, path: pathname + search, method: 'POST', headers, body };
    return answerTo(agent, request, { deadline, maxResponseBytes }).finally(release);
  };

  const attempt = async (request: WebhookRequest): Promise<AttemptResult> => {
    const startedAt = now();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    const durationMs = () => Math.round(now() - startedAt);
    try {
      const answer = await post(request, deadline.signal);
      return { outcome: 'answered', ...answer, durationMs: durationMs() };
    } catch (error) {
      const { stage, message } = SendFailure.from(error, 'response');
      return { outcome: 'failed', stage, error: message, durationMs: durationMs() };
    } finally {
      clearTimeout(timer);
    }
  };

  return {
    async send(request) {
      const result = attempt(request);
      underWay.add(result);
      return result.finally(() => underWay.delete(result));
    },
    close() {
      closing ??= Promise.all(underWay).then(() => agent.close());
      return closing;
    },
  };
}

/** The URL to call. Literal addresses are refused here already, so that they never wait for a connection. */
function target(url: string, policy: AddressPolicy): URL {
  const parsed = URL.parse(url);
  if (parsed === null) throw new SendFailure('url', 'not a URL');
  if (!/^https?:$/.test(parsed.protocol)) throw new SendFailure('url', 'not an http or https URL');
  if (parsed.username !== '' || parsed.password !== '')
    throw new SendFailure('url', 'user or password in URL');
  if (!policy.allowsHostname(parsed.hostname)) throw SendFailure.notAllowed();
  return parsed;
}
