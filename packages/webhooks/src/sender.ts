import type { LookupFunction } from 'node:net';
import type { AddressPolicy } from './addresses.ts';
import type { AttemptResult } from './attempt-result.ts';
import { createNameLookup } from './name-lookup.ts';
import { type ReceivedResponse, responseTo } from './response.ts';
import { SendFailure } from './send-failure.ts';
import { vettedAgent } from './vetted-agent.ts';

export const DEFAULT_TIMEOUT_MS = 15_000;
export const DEFAULT_MAX_RESPONSE_BYTES = 16_384;

export interface SenderOptions {
  policy: AddressPolicy;
  /** From the call to the response's last byte. */
  timeoutMs?: number;
  /** The most to read of the response's body; the rest is cut off. */
  maxResponseBytes?: number;
  /** A monotonic clock in milliseconds, for durations. */
  now?: () => number;
  /** Resolves names like `dns.lookup`; the policy judges the addresses. `createNameLookup()` by default. */
  lookup?: LookupFunction;
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
  const { policy, lookup = createNameLookup() } = options;
  const { timeoutMs = DEFAULT_TIMEOUT_MS, now = () => performance.now() } = options;
  const { maxResponseBytes = DEFAULT_MAX_RESPONSE_BYTES } = options;
  const agent = vettedAgent({ policy, lookup, timeoutMs });
  let closing: Promise<void> | undefined;

  const post = ({ url, headers, body }: WebhookRequest): Promise<ReceivedResponse> => {
    const request = { ...targetOf(url), method: 'POST' as const, headers, body };
    return responseTo(agent, request, { withinMs: timeoutMs, maxResponseBytes });
  };
  const inFlight = new Set<Promise<unknown>>();
  const attempt = async (request: WebhookRequest, startedAt: number): Promise<AttemptResult> => {
    const durationMs = () => Math.round(now() - startedAt);
    try {
      if (closing) throw new SendFailure('connect', 'sender is closed');
      const response = await post(request);
      return { ...response, outcome: 'answered', durationMs: durationMs() };
    } catch (error) {
      const { stage, message } = SendFailure.from(error, 'response');
      return { outcome: 'failed', stage, error: message, durationMs: durationMs() };
    }
  };
  return {
    send(request) {
      const sending = attempt(request, now());
      inFlight.add(sending);
      return sending.finally(() => inFlight.delete(sending));
    },
    close: () => (closing ??= Promise.all(inFlight).then(() => agent.close())),
  };
}

/** @returns the URL to call; the connector judges its host */
function targetOf(url: string): { origin: string; path: string } {
  const target = URL.parse(url);
  if (target === null) throw new SendFailure('url', 'not a URL');
  const { protocol, origin, pathname, search, username, password } = target;
  if (!/^https?:$/.test(protocol)) throw new SendFailure('url', 'not an http or https URL');
  if (username !== '' || password !== '') throw new SendFailure('url', 'user or password in URL');
  return { origin, path: pathname + search };
}
