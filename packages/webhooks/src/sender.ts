import { Agent, type buildConnector } from 'undici';
import type { AddressPolicy } from './addresses.ts';
import type { AttemptResult } from './attempt-result.ts';
import { limitedConnections } from './limited-connections.ts';
import { createNameLookup, type NameLookup } from './name-lookup.ts';
import { responseTo } from './response.ts';
import { SendFailure } from './send-failure.ts';
import { vettedConnector } from './vetted-connector.ts';

const MAX_RESPONSE_BYTES = 16_384;

export interface SenderOptions {
  policy: AddressPolicy;
  /** False refuses URLs of plain http. True by default. */
  allowHttp?: boolean;
  /** From the call to the response's last byte. */
  timeoutMs: number;
  /** Resolves names; the policy judges the addresses. `createNameLookup()` by default. */
  lookup?: NameLookup;
}

export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface Sender {
  /** Makes at most one POST and returns its result within `timeoutMs`. It never rejects. */
  send(request: WebhookRequest): Promise<AttemptResult>;
  /** Refuses new requests, finishes those in flight, and closes all connections. */
  close(): Promise<void>;
}

/**
 * @returns the sender for webhooks: it POSTs only to addresses that the policy allows, without redirects or a proxy. One
 * deadline covers each request, of whose response it reads a limited part
 */
export function createSender(options: SenderOptions): Sender {
  const { policy, allowHttp = true, timeoutMs, lookup = createNameLookup() } = options;
  const connections = limitedConnections(MAX_READ_BYTES, vettedConnector({ policy, lookup, timeoutMs }));
  const agent = limitedAgent(connections.connect);
  let closing: Promise<void> | undefined;
  return {
    send: async ({ url, headers, body }) => {
      const startedAt = performance.now();
      const durationMs = () => Math.round(performance.now() - startedAt);
      try {
        const target = targetOf(url, allowHttp);
        // With as many open, this one is closed after its response.
        const reset = connections.open() >= KEPT_CONNECTIONS;
        const request = { ...target, method: 'POST' as const, headers, body, reset };
        const limits = { withinMs: timeoutMs, maxResponseBytes: MAX_RESPONSE_BYTES };
        const response = await responseTo(agent, request, limits);
        return { ...response, outcome: 'answered', durationMs: durationMs() };
      } catch (error) {
        const { stage, code, detail } = SendFailure.from(error, 'response');
        const failure = { stage, code, ...(detail !== undefined && { detail }) };
        return { outcome: 'failed', ...failure, durationMs: durationMs() };
      }
    },
    close: () => (closing ??= agent.close()),
  };
}

/** Idle connections close before most receivers close theirs (5 s and more), which would fail a POST. */
const KEEP_ALIVE_MS = 4_000;
/** The most that a receiver's `Keep-Alive` header can ask for. */
const KEEP_ALIVE_MAX_MS = 30_000;
/** A store may have a host of its own per sale: idle connections to all of them would take this process's memory. */
const KEPT_CONNECTIONS = 1_000;
const MAX_HEADER_BYTES = 16_384;
/** Of one response: far more than the parts that are read, and what is around them. */
const MAX_READ_BYTES = 1_048_576;

/**
 * undici with limits in place of its long or missing ones: HTTP/1.1, one request at a time per connection, keep-alive.
 * The deadline comes before its own time-outs of five minutes.
 * It follows no redirects and reads no proxy variables. The callers limit their concurrent requests.
 */
function limitedAgent(connect: buildConnector.connector): Agent {
  return new Agent({
    connect,
    allowH2: false,
    useMilo: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
  });
}

/** @returns the URL to call; the connector judges its host */
function targetOf(url: string, allowHttp: boolean): { origin: string; path: string } {
  const target = URL.parse(url);
  if (target === null) throw new SendFailure('url', 'not_a_url');
  const { protocol, origin, pathname, search, username, password } = target;
  if (!/^https?:$/.test(protocol)) throw new SendFailure('url', 'not_http');
  if (protocol === 'http:' && !allowHttp) throw new SendFailure('url', 'plain_http');
  if (username !== '' || password !== '') throw new SendFailure('url', 'credentials_in_url');
  return { origin, path: pathname + search };
}
