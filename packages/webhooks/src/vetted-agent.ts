import { Agent } from 'undici';
import { type VettedConnectorOptions, vettedConnector } from './vetted-connector.ts';

/** Idle connections close before most receivers close theirs (5 s and more), which would fail a POST. */
const KEEP_ALIVE_MS = 4_000;
/** The most that a receiver's `Keep-Alive` header can ask for. */
const KEEP_ALIVE_MAX_MS = 30_000;
const MAX_HEADER_BYTES = 16_384;

/**
 * undici with limits in place of its long or missing ones: HTTP/1.1, one request at a time per connection, keep-alive.
 * It follows no redirects and reads no proxy variables. The callers limit their concurrent requests.
 */
export function vettedAgent(options: VettedConnectorOptions): Agent {
  return new Agent({
    connect: vettedConnector(options),
    pipelining: 1,
    allowH2: false,
    useMilo: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // A safety net: the caller's deadline comes first.
    headersTimeout: options.timeoutMs + 1_000,
    bodyTimeout: options.timeoutMs + 1_000,
  });
}
