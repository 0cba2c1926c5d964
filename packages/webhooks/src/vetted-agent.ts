import { Agent } from 'undici';
import { type VettedConnectorOptions, vettedConnector } from './vetted-connector.ts';

/** Idle connections close before most receivers close theirs (5 s and more), which would fail a POST. */
const KEEP_ALIVE_MS = 4_000;
/** Whatever a receiver's `Keep-Alive` header asks for. */
const KEEP_ALIVE_MAX_MS = 30_000;
const MAX_HEADER_BYTES = 16_384;

export interface VettedAgentOptions extends VettedConnectorOptions {
  connectionsPerOrigin: number;
}

/**
 * undici with every default set that would wait for minutes, take any amount, or open any number of
 * connections: HTTP/1.1, one request at a time per connection, keep-alive. It follows no redirects and reads
 * no proxy variables.
 */
export function vettedAgent({ connectionsPerOrigin, ...options }: VettedAgentOptions): Agent {
  return new Agent({
    connect: vettedConnector(options),
    connections: connectionsPerOrigin,
    pipelining: 1,
    allowH2: false,
    useMilo: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
    maxHeaderSize: MAX_HEADER_BYTES,
    // Nets below the caller's deadline, which comes first.
    headersTimeout: options.timeoutMs + 1_000,
    bodyTimeout: options.timeoutMs + 1_000,
  });
}
